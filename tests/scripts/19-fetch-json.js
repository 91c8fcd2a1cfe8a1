const base = process.argv[2];

async function getUser(id) {
  const res = await fetch(`${base}/users/${id}`, { headers: { Accept: 'application/json' } });
  if (!res.ok) throw new Error(`HTTP ${res.status}`);
  return res.json();
}

getUser(1)
  .then((user) => console.log(user, typeof user.id))
  .then(() => getUser(404))
  .catch((error) => console.log('failed:', error.message));
