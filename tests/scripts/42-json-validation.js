const inputs = [
  '{"name": "Ada", "age": 36}',
  '{"name": "Ada", "age": }',
  '{name: "Ada"}',
  "{'name': 'Ada'}",
  '{"name": "Ada",}',
  '{"name": "Ada"',
  '["a", "b"',
  '',
  'undefined',
  'not json at all',
  '<html><body>502 Bad Gateway</body></html>',
  '{"a": 1} trailing',
  '{"text": "line\nbreak"}',
  '[1, 2, 3,, 4]',
  '{"a":1 "b":2}',
  '{"nested": {"deep": [1, 2, {"x": tru}]}}',
];

function parse(text) {
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch (error) {
    return { ok: false, error: error.message, isSyntaxError: error instanceof SyntaxError };
  }
}

inputs.forEach((text, i) => {
  const result = parse(text);
  console.log(`#${i + 1}`, result.ok ? JSON.stringify(result.value) : `error: ${result.error}`);
});
console.log(parse(undefined), parse({}), parse(null));

class ConfigError extends Error {
  constructor(file, cause) {
    super(`Invalid config in ${file}: ${cause.message}`, { cause });
    this.name = 'ConfigError';
    this.file = file;
  }
}
try {
  try {
    JSON.parse('{"port": 80a0}');
  } catch (error) {
    throw new ConfigError('app.json', error);
  }
} catch (error) {
  console.log(`${error}`);
  console.log(error.cause instanceof SyntaxError, error.file, Object.keys(error));
}
