// `Intl.Segmenter`: characters, words and sentences, by the properties of Unicode that the engine's
// regular expressions know. Words of languages that need a dictionary are single characters.
const GRANULARITIES = ['grapheme', 'word', 'sentence'];

// Whatever stays with the character before it.
const EXTEND = '[\\p{M}\\u200c\\u200d\\p{Emoji_Modifier}\\u{e0020}-\\u{e007f}\\u0e33\\u0eb3]';
const PICTURE = `\\p{Extended_Pictographic}${EXTEND}*(?:(?<=\\u200d)\\p{Extended_Pictographic}${EXTEND}*)*`;
// Consonants of Indic scripts that a virama joins.
const JOINED = '[\\u094d\\u09cd\\u0acd\\u0b4d\\u0c4d\\u0d4d]\\p{Lo}';
const CHARACTER = [
  '\\r\\n',
  `\\p{RI}\\p{RI}${EXTEND}*`,
  PICTURE,
  `[\\u1100-\\u115f]+(?:[\\u1160-\\u11a7]+|[\\uac00-\\ud7a3])?[\\u1160-\\u11ff]*${EXTEND}*`,
  `[\\uac00-\\ud7a3][\\u1160-\\u11ff]*${EXTEND}*`,
  '\\p{Cc}',
  `[^](?:${JOINED}|${EXTEND})*`,
].join('|');

const LETTER = '(?![\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Thai}])[\\p{Alphabetic}]';
const WORD = [
  '\\r\\n',
  `(?:(?:${LETTER}|\\p{Nd}|\\p{Pc})${EXTEND}*|(?<=\\p{L}\\p{M}*)[.:'’·](?=\\p{L})|(?<=\\p{Nd})[.,;'’](?=\\p{Nd}))+`,
  '\\p{Zs}+',
  CHARACTER,
].join('|');

// A full stop ends a sentence unless a small letter follows; other marks always do.
const CLOSING = '["\'”’)\\]]*';
const SENTENCE = `[^]+?(?:[?!]+${CLOSING}\\s*|\\.+${CLOSING}(?:\\s+(?!\\p{Ll})|$)|[\\n\\u2028\\u2029]+|$)`;

const PATTERNS = { grapheme: CHARACTER, word: WORD, sentence: SENTENCE };
const isWordLike = (text) => /[\p{L}\p{N}]/u.test(text);

class Segments {
  #text;
  #granularity;
  constructor(text, granularity) {
    this.#text = text;
    this.#granularity = granularity;
  }
  #data(segment, index) {
    const found = { segment, index, input: this.#text };
    if (this.#granularity === 'word') found.isWordLike = isWordLike(segment);
    return found;
  }
  containing(position = 0) {
    const at = Math.trunc(Number(position)) || 0;
    for (const found of at < 0 || at >= this.#text.length ? [] : this) {
      if (at < found.index + found.segment.length) return found;
    }
    return undefined;
  }
  *[Symbol.iterator]() {
    for (const match of this.#text.matchAll(new RegExp(PATTERNS[this.#granularity], 'gu'))) {
      yield this.#data(match[0], match.index);
    }
  }
}

export default class Segmenter {
  #locale;
  #granularity;
  constructor(locales = undefined, options = {}) {
    this.#locale = `${[locales].flat()[0] ?? 'en-US'}`;
    this.#granularity = options.granularity ?? 'grapheme';
    if (!GRANULARITIES.includes(this.#granularity)) {
      throw new RangeError(`Value ${this.#granularity} out of range for Intl.Segmenter options property granularity`);
    }
  }
  segment(text) {
    return new Segments(`${text}`, this.#granularity);
  }
  resolvedOptions() {
    return { locale: this.#locale, granularity: this.#granularity };
  }
  static supportedLocalesOf(locales) {
    return [locales ?? []].flat();
  }
}
Object.defineProperty(Segmenter.prototype, Symbol.toStringTag, { value: 'Intl.Segmenter', configurable: true });
