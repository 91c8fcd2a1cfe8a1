const start = new Date('2024-02-27T10:00:00Z');
const days = Array.from({ length: 4 }, (_, i) => new Date(start.getTime() + i * 86400000));
console.log(days.map((d) => d.toISOString().slice(0, 10)));
console.log(start.getTime(), new Date(2024, 0, 31).getMonth(), Date.UTC(2000, 0));
console.log(JSON.stringify({ at: start }), isNaN(new Date('nonsense')));
const diff = Math.round((new Date('2024-03-01') - new Date('2024-02-01')) / 864e5);
console.log(diff, new Date(0).toUTCString());
