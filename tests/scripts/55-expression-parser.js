class ParseError extends SyntaxError {
  constructor(message, position) {
    super(`${message} at position ${position}`);
    this.position = position;
  }
  get name() { return 'ParseError'; }
}
function* tokenize(text) {
  const pattern = /\s*(?:(?<number>\d+(?:\.\d+)?)|(?<name>[a-z]\w*)|(?<op>[-+*/^(),]))/giy;
  while (pattern.lastIndex < text.length) {
    const at = pattern.lastIndex;
    const match = pattern.exec(text);
    if (!match) {
      if (/^\s*$/.test(text.slice(at))) return;
      throw new ParseError(`Unexpected character '${text.slice(at).trim()[0]}'`, at);
    }
    const [type, value] = Object.entries(match.groups).find(([, found]) => found !== undefined);
    yield { type, value, at };
  }
}
class Parser {
  static BINDING = { '+': 1, '-': 1, '*': 2, '/': 2, '^': 3 };
  constructor(text, scope = {}) { this.tokens = [...tokenize(text)]; this.index = 0; this.scope = scope; this.end = text.length; }
  peek() { return this.tokens[this.index]; }
  take(value) {
    const token = this.tokens[this.index++];
    if (!token) throw new ParseError('Unexpected end of expression', this.end);
    if (value && token.value !== value) throw new ParseError(`Expected '${value}' but found '${token.value}'`, token.at);
    return token;
  }
  expression(min = 0) {
    let left = this.primary();
    for (let token; (token = this.peek()) && (Parser.BINDING[token.value] ?? 0) > min;) {
      this.take();
      const right = this.expression(Parser.BINDING[token.value] - (token.value === '^' ? 1 : 0));
      left = { '+': (a, b) => a + b, '-': (a, b) => a - b, '*': (a, b) => a * b, '/': (a, b) => a / b, '^': (a, b) => a ** b }[token.value](left, right);
    }
    return left;
  }
  primary() {
    const token = this.take();
    if (token.type === 'number') return Number(token.value);
    if (token.type === 'name') {
      if (this.peek()?.value !== '(') return this.scope[token.value].valueOf();
      this.take('(');
      const args = [this.expression()];
      while (this.peek()?.value === ',') { this.take(','); args.push(this.expression()); }
      this.take(')');
      return Math[token.value](...args);
    }
    if (token.value === '(') { const value = this.expression(); this.take(')'); return value; }
    if (token.value === '-') return -this.expression(2);
    throw new ParseError(`Unexpected '${token.value}'`, token.at);
  }
}
for (const text of ['1 + 2 * 3', '2 ^ 3 ^ 2', '-(4 - 6) * x', 'max(1, y, 3) / 2', '1 +', '(1', '2 $ 3', 'nope(1)', 'z + 1', '1 2', '* 3', '']) {
  try {
    console.log(text, '=', new Parser(text, { x: 4, y: 9 }).expression());
  } catch (error) {
    console.log(`${text} -> ${error.name}: ${error.message}`, error.position ?? '', error instanceof SyntaxError);
  }
}
