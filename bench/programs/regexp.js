// Regular expressions over a log: matching, captures, replacing, splitting.
const lines = [];
for (let i = 0; i < 2500; i++) {
  lines.push(
    '2026-01-' + String((i % 28) + 1).padStart(2, '0') + 'T10:' + String(i % 60).padStart(2, '0') +
      ':00Z ' + (i % 9 === 0 ? 'ERROR' : 'info') + ' user' + (i % 50) + '@host' + (i % 7) +
      '.example.com GET /items/' + i + '?page=' + (i % 13) + ' ' + (i % 900) + 'ms',
  );
}
const text = lines.join('\n');
let sum = 0;
for (const m of text.matchAll(/^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)\S* (ERROR|info)/gm)) {
  sum += Number(m[3]) + Number(m[5]) + (m[6] === 'ERROR' ? 100 : 0);
}
const emails = text.match(/[\w.]+@[\w.]+\.com/g);
sum += emails.length;
const masked = text.replace(/(\w+)@(\w+)/g, (all, user, host) => user.length + '@' + host);
sum += masked.length;
for (const line of lines) {
  const m = /\/items\/(?<id>\d+)\?page=(?<page>\d+) (?<ms>\d+)ms$/.exec(line);
  if (m) sum += Number(m.groups.id) + Number(m.groups.page) * 2 + Number(m.groups.ms);
}
sum += text.split(/[\s,;]+/).length;
return sum;
