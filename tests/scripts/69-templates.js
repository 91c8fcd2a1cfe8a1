class TemplateError extends Error {
  constructor(message, { line, ...options } = {}) {
    super(line ? `${message} (line ${line})` : message, options);
    this.line = line;
  }
}
TemplateError.prototype.name = 'TemplateError';

const helpers = { upper: (text) => text.toUpperCase(), date: (text) => new Date(text).toISOString().slice(0, 10), fixed: (n, digits) => n.toFixed(digits) };
function render(template, data) {
  return template.split('\n').map((text, index) =>
    text.replace(/\{\{\s*([\w.]+)((?:\s*\|\s*\w+(?::\w+)?)*)\s*\}\}/g, (_, path, filters) => {
      try {
        let value = path.split('.').reduce((at, key) => at[key], data);
        for (const [, name, argument] of filters.matchAll(/(\w+)(?::(\w+))?/g)) value = helpers[name](value, argument);
        return value;
      } catch (cause) {
        throw new TemplateError(`cannot render ${path}: ${cause.message}`, { line: index + 1, cause });
      }
    })).join('\n');
}
const data = { user: { name: 'Ada', born: '1815-12-10' }, total: 9.5, list: null };
for (const template of ['Hello {{ user.name | upper }}', 'Born {{user.born|date}}\nTotal {{total|fixed:2}}', 'a\n{{ user.address.city }}', '{{ list.length }}', '{{ total | upper }}', '{{ user.name | shout }}', '{{ user.name | date }}', '{{ total | fixed:200 }}']) {
  try {
    console.log(render(template, data));
  } catch (error) {
    console.log(`${error.name}: ${error.message} [${error.cause.name}]`);
  }
}
for (const source of ['return 1 +', 'let x = ;', 'if (true {', 'const a = 1; const a = 2;', 'await x', 'return "unclosed', 'x = {', 'foo bar', 'let y = 1 2', ')', 'for (;;', 'let let = 1', '1 = 2', 'break', 'class { }', 'a => { }}', 'new.target.x', 'var 1a', '@']) {
  try {
    new Function(source);
    console.log('compiles:', source);
  } catch (error) {
    console.log(`${error.name}: ${error.message}`);
  }
}
