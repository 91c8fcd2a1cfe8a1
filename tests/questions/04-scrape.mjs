const page = await (await fetch(`${process.argv[2]}/news.html`)).text();
const titles = [...page.matchAll(/<h2>(.*?)<\/h2>/g)].map(([, title]) => title);
console.log(titles.join('\n'));
