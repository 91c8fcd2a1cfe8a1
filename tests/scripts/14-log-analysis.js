const fs = require('fs');
const byStatus = {};
const byIp = new Map();
fs.readFileSync('access.log', 'utf8').split('\n').filter(Boolean).forEach((line, index) => {
  const [ip, method, url, status] = line.split(' ');
  byStatus[status] = (byStatus[status] ?? 0) + 1;
  byIp.set(ip, [...(byIp.get(ip) ?? []), { index, method, url }]);
});
console.log(byStatus);
for (const [ip, hits] of byIp) console.log('%s: %d hits, last %o', ip, hits.length, hits.at(-1).url);
