// `util.parseArgs`: arguments become tokens, and tokens become values, as in Node.
import { internal } from 'host';

const failed = (code, message) => internal.coded(new TypeError(message), code);

const check = (options) => {
  for (const [name, option] of Object.entries(options)) {
    const place = `options.${name}`;
    if (option.type !== 'string' && option.type !== 'boolean') {
      throw internal.wrongType(`${place}.type`, "('string|boolean')", option.type);
    }
    if (option.short !== undefined && (typeof option.short !== 'string' || option.short.length !== 1)) {
      throw failed('ERR_INVALID_ARG_VALUE', `The property '${place}.short' must be a single character. Received '${option.short}'`);
    }
    const isRight = (value) => typeof value === option.type;
    const { default: given } = option;
    if (given === undefined) continue;
    if (option.multiple ? !(Array.isArray(given) && given.every(isRight)) : !isRight(given)) {
      throw internal.wrongType(`${place}.default`, `of type ${option.type}${option.multiple ? '[]' : ''}`, given);
    }
  }
};

const tokenize = (args, options, allowNegative) => {
  const longOf = (short) => Object.keys(options).find((name) => options[name].short === short) ?? short;
  const takesValue = (name) => options[name]?.type === 'string';
  const tokens = [];
  const rest = args.map((text, index) => ({ text: `${text}`, index }));
  const option = (name, rawName, index, value, inlineValue) => tokens.push({ kind: 'option', name, rawName, index, value, inlineValue });
  while (rest.length > 0) {
    const { text, index } = rest.shift();
    const next = rest[0]?.text;
    if (text === '--') {
      tokens.push({ kind: 'option-terminator', index });
      for (const { text: value, index: at } of rest.splice(0)) tokens.push({ kind: 'positional', index: at, value });
    } else if (text.length === 2 && text[0] === '-' && text[1] !== '-') {
      const name = longOf(text[1]);
      const hasNext = takesValue(name) && next !== undefined;
      option(name, text, index, hasNext ? rest.shift().text : undefined, hasNext ? false : undefined);
    } else if (text.length > 2 && text[0] === '-' && text[1] !== '-') {
      if (takesValue(longOf(text[1]))) {
        option(longOf(text[1]), text.slice(0, 2), index, text.slice(2), true);
        continue;
      }
      // A group: each letter is an option of its own, and the last that takes a value ends it.
      const expanded = [];
      for (let at = 1; at < text.length; at++) {
        if (at < text.length - 1 && takesValue(longOf(text[at]))) {
          expanded.push({ text: `-${text.slice(at)}`, index });
          break;
        }
        expanded.push({ text: `-${text[at]}`, index });
      }
      rest.unshift(...expanded);
    } else if (text.startsWith('--') && text.indexOf('=', 3) > 0) {
      const at = text.indexOf('=', 3);
      option(text.slice(2, at), text.slice(0, at), index, text.slice(at + 1), true);
    } else if (text.startsWith('--') && text.length > 2) {
      const name = text.slice(2);
      const positive = name.slice(3);
      if (allowNegative && name.startsWith('no-') && options[positive]?.type === 'boolean') {
        option(positive, text, index, undefined, undefined);
        continue;
      }
      const hasNext = takesValue(name) && next !== undefined;
      option(name, text, index, hasNext ? rest.shift().text : undefined, hasNext ? false : undefined);
    } else {
      tokens.push({ kind: 'positional', index, value: text });
    }
  }
  return tokens;
};

const checkStrictly = (token, options, allowPositionals) => {
  const { name, rawName, value, inlineValue } = token;
  if (!Object.hasOwn(options, name)) {
    const hint = allowPositionals
      ? `. To specify a positional argument starting with a '-', place it at the end of the command after '--', as in '-- "${rawName}"`
      : '';
    throw failed('ERR_PARSE_ARGS_UNKNOWN_OPTION', `Unknown option '${rawName}'${hint}`);
  }
  const { short, type } = options[name];
  const shown = `${short ? `-${short}, ` : ''}--${name}`;
  if (type === 'string' && typeof value !== 'string') {
    throw failed('ERR_PARSE_ARGS_INVALID_OPTION_VALUE', `Option '${shown} <value>' argument missing`);
  }
  if (type === 'boolean' && value !== undefined && value !== null) {
    throw failed('ERR_PARSE_ARGS_INVALID_OPTION_VALUE', `Option '${shown}' does not take an argument`);
  }
  if (inlineValue === false && value.length > 1 && value[0] === '-') {
    const example = rawName.startsWith('--') ? `'${rawName}=-XYZ'` : `'--${name}=-XYZ' or '${rawName}-XYZ'`;
    throw failed(
      'ERR_PARSE_ARGS_INVALID_OPTION_VALUE',
      `Option '${rawName}' argument is ambiguous.\nDid you forget to specify the option argument for '${rawName}'?\nTo specify an option argument starting with a dash use ${example}.`,
    );
  }
};

export const parseArgs = (config = {}) => {
  const { args = globalThis.process.argv.slice(2), options = {}, strict = true, tokens: wantsTokens = false, allowNegative = false } = config;
  const { allowPositionals = !strict } = config;
  if (!Array.isArray(args)) throw internal.wrongType('args', 'an instance of Array', args);
  if (typeof options !== 'object' || options === null) throw internal.wrongType('options', 'of type object', options);
  check(options);
  const tokens = tokenize(args, options, allowNegative);
  const result = { values: { __proto__: null }, positionals: [] };
  if (wantsTokens) result.tokens = tokens;
  for (const token of tokens) {
    if (token.kind === 'positional') {
      if (!allowPositionals) {
        throw failed('ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL', `Unexpected argument '${token.value}'. This command does not take positional arguments`);
      }
      result.positionals.push(token.value);
    } else if (token.kind === 'option') {
      if (strict) checkStrictly(token, options, allowPositionals);
      const { name, rawName, value = !(allowNegative && rawName === `--no-${name}`) } = token;
      if (options[name]?.multiple) (result.values[name] ??= []).push(value);
      else result.values[name] = value;
    }
  }
  for (const [name, { default: given }] of Object.entries(options)) {
    if (given !== undefined && result.values[name] === undefined) result.values[name] = given;
  }
  return result;
};
