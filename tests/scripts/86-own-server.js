// A service and its client in one script.
const http = require('http');

const notes = new Map();
const server = http.createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url, 'http://localhost');
  const reply = (status, value) => {
    response.writeHead(status, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify(value));
  };
  if (request.method === 'POST' && pathname === '/notes') {
    let body = '';
    request.on('data', (chunk) => (body += chunk));
    request.on('end', () => {
      try {
        const note = { id: notes.size + 1, ...JSON.parse(body) };
        notes.set(note.id, note);
        reply(201, note);
      } catch (error) {
        reply(400, { error: error.name });
      }
    });
  } else if (pathname === '/notes') {
    const wanted = searchParams.get('tag');
    reply(200, [...notes.values()].filter((note) => wanted === null || note.tag === wanted));
  } else {
    reply(404, { error: `${request.method} ${pathname}` });
  }
});

server.listen(0, '127.0.0.1', async () => {
  const base = `http://127.0.0.1:${server.address().port}`;
  const post = (body) => fetch(`${base}/notes`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  for (const note of [{ text: 'one', tag: 'a' }, { text: 'two', tag: 'b' }]) {
    const response = await post(JSON.stringify(note));
    console.log(response.status, await response.json());
  }
  console.log((await post('{broken')).status);
  console.log(await (await fetch(`${base}/notes?tag=b`)).json());
  http.get(`${base}/nothing`, (response) => {
    let text = '';
    response.setEncoding('utf8');
    response.on('data', (chunk) => (text += chunk));
    response.on('end', () => {
      console.log(response.statusCode, response.headers['content-type'], text);
      server.close(() => console.log('closed'));
    });
  });
});
