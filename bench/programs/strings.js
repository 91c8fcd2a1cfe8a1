// Building, splitting and searching text, as a tool does that makes a CSV or a report.
const rows = [];
for (let i = 0; i < 12000; i++) {
  rows.push(i + ',' + 'name' + (i % 97) + ',' + (i * 7) % 1000 + ',' + (i % 2 ? 'yes' : 'no'));
}
const csv = rows.join('\n');
let sum = 0;
for (const line of csv.split('\n')) {
  const cells = line.split(',');
  sum += Number(cells[2]) + cells[1].length;
  if (cells[3].startsWith('y')) sum += cells[1].toUpperCase().indexOf('E');
}
let report = '';
for (let i = 0; i < 40000; i++) {
  report += '[' + String(i).padStart(6, '0') + '] ';
  if (i % 10 === 9) report += '\n';
}
let code = 0;
for (let i = 0; i < report.length; i += 3) code = (code * 31 + report.charCodeAt(i)) % 1000003;
const turned = report.slice(0, 60000).split('').reverse().join('').trim();
return sum + code + turned.length + report.lastIndexOf('[000000]');
