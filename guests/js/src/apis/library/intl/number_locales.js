// Numbers of `Intl` in languages other than English, made of the English text; by CLDR.
//
// A line has the locale, group separator (a second one for amounts) and decimal separator, the fewest digits before a group (`i` for groups
// of two), the minus sign, patterns of an amount, of a negative one that differs, and of percents, the
// word for NaN, the currencies that are shown by their codes, and those with another symbol than in
// English.
const TABLE = `de|.|,|1|-|n\u00a0¤||n\u00a0%||PHP|AUDAU$ THB฿
de-AT|\u00a0.|,|1|-|¤\u00a0n||n\u00a0%||PHP|AUDAU$ THB฿
de-CH|'|.|1|-|¤\u00a0n|¤-n|n%||EUR PHP|AUDAU$ THB฿
fr|\u202f|,|1|-|n\u00a0¤||n\u00a0%||JPY CNY TWD HKD PHP|USD$US GBP£GB CAD$CA AUD$AU MXN$MX NZD$NZ ARS$AR SGD$SG
fr-CA|\u00a0|,|1|-|n\u00a0¤||n\u00a0%||INR KRW MXN ILS VND TWD PHP|USD$~US CAD$ AUD$~AU NZD$~NZ HKD$~HK SGD$~SG
fr-CH|\u202f|,|1|-|n\u00a0¤||n%||JPY CNY TWD HKD PHP|USD$US GBP£GB CAD$CA AUD$AU MXN$MX NZD$NZ ARS$AR SGD$SG
es|.|,|2|-|n\u00a0¤||n\u00a0%||GBP JPY CNY INR KRW BRL CAD AUD MXN NZD ILS TWD HKD PHP|USDUS$ THB฿
es-MX|,|.|1|-|¤\u00a0n||n%||USD EUR GBP JPY CNY INR KRW BRL CAD AUD NZD ILS VND TWD HKD PHP|MXN$
es-AR|.|,|1|-|¤\u00a0n||n%||EUR GBP JPY CNY INR KRW BRL CAD AUD MXN NZD ILS VND TWD HKD PHP|USDUS$ ARS$
it|.|,|2|-|n\u00a0¤||n%||USD JPY INR KRW BRL MXN VND TWD HKD|THB฿
it-CH|'|.|2|-|¤\u00a0n|¤-n|n%||USD JPY INR KRW BRL MXN VND TWD HKD|THB฿
pt|.|,|1|-|¤\u00a0n||n%||PHP|USDUS$ JPYJP¥ AUDAU$ THB฿
pt-PT|\u00a0|,|2|-|n\u00a0¤||n%||PHP|USDUS$ JPYJP¥ AUDAU$ THB฿
nl|.|,|1|-|¤\u00a0n|¤\u00a0-n|n%||PHP|USDUS$ JPYJP¥ CADC$ AUDAU$ THB฿
sv|\u00a0|,|1|\u2212|n\u00a0¤||n\u00a0%||GBP JPY CNY INR KRW AUD NZD VND TWD HKD PHP|USDUS$ BRLBR$ SEKkr NOKNkr DKKDkr
da|.|,|1|-|n\u00a0¤||n\u00a0%||PHP|USDUS$ JPYJP¥ AUDAU$ DKKkr. THB฿
nb|\u00a0|,|1|\u2212|n\u00a0¤||n\u00a0%||USD JPY CNY INR KRW BRL CAD AUD MXN NZD ILS VND TWD HKD PHP|NOKkr
no|\u00a0|,|1|\u2212|n\u00a0¤||n\u00a0%||USD JPY CNY INR KRW BRL CAD AUD MXN NZD ILS VND TWD HKD PHP|NOKkr
fi|\u00a0|,|1|\u2212|n\u00a0¤||n\u00a0%|epäluku|CNY INR KRW BRL CAD AUD MXN NZD ILS VND TWD HKD PHP|
pl|\u00a0|,|2|-|n\u00a0¤||n%||USD GBP JPY CNY INR KRW CAD AUD MXN NZD ILS VND TWD HKD PHP|PLNzł
cs|\u00a0|,|1|-|n\u00a0¤||n\u00a0%||INR ILS VND PHP|USDUS$ JPYJP¥ AUDAU$ CZKKč
sk|\u00a0|,|1|-|n\u00a0¤||n\u00a0%||USD GBP JPY CNY INR KRW BRL CAD AUD NZD VND TWD HKD PHP|ILSNIS
hu|\u00a0|,|2|-|n\u00a0¤||n%||USD EUR GBP CNY INR KRW BRL CAD AUD MXN NZD ILS VND TWD HKD PHP|HUFFt
ro|.|,|1|-|n\u00a0¤||n\u00a0%||USD EUR GBP JPY CNY INR KRW BRL CAD AUD MXN NZD ILS VND TWD HKD PHP|
ru|\u00a0|,|1|-|n\u00a0¤||n\u00a0%|не\u00a0число|PHP|RUB₽ UAH₴ THB฿
uk|\u00a0|,|1|-|n\u00a0¤||n%||USD EUR GBP CNY INR KRW BRL CAD AUD MXN NZD ILS VND TWD HKD PHP|UAH₴
tr|.|,|1|-|¤n||%n||PHP|AUDAU$ TRY₺ THB฿
el|.|,|1|-|n\u00a0¤||n%||PHP|JPYJP¥ THB฿
ja|,|.|1|-|¤n||n%||PHP|JPY￥ CNY元
ko|,|.|1|-|¤n||n%||PHP|USDUS$ JPYJP¥ AUDAU$
zh|,|.|1|-|¤n||n%||PHP|USDUS$ JPYJP¥ CNY¥ AUDAU$
zh-TW|,|.|1|-|¤n||n%|非數值|PHP|USDUS$ KRW￦ AUDAU$ TWD$
en-IN|,|.|i1|-|¤n||n%|||JPYJP¥
en-AU|,|.|1|-|¤\u00a0n||n%||USD EUR GBP JPY CNY INR KRW BRL CAD MXN NZD ILS VND TWD HKD PHP|AUD$
en-CA|,|.|1|-|¤n||n%|||USDUS$ JPYJP¥ CAD$
en-NZ|,|.|1|-|¤n||n%|||USDUS$ JPYJP¥ NZD$
en-IE|,|.|1|-|¤n||n%|||USDUS$ JPYJP¥
en-ZA|\u00a0|,|1|-|¤n||n%|||USDUS$ JPYJP¥ ZARR
hi|,|.|i1|-|¤n||n%||PHP|JPYJP¥ THB฿
vi|.|,|1|-|n\u00a0¤||n%||PHP|USDUS$ AUDAU$ THB฿
id|.|,|1|-|¤n||n%||PHP|USDUS$ JPYJP¥ INRRs AUDAU$ THB฿ IDRRp
th|,|.|1|-|¤n||n%||PHP|USDUS$ AUDAU$ THB฿
bg|\u00a0|,|2|-|n\u00a0¤||n%||GBP JPY CNY INR KRW BRL CAD AUD MXN NZD ILS VND TWD HKD PHP|USDщ.д. BGNлв.
hr|.|,|1|\u2212|n\u00a0¤||n\u00a0%||USD GBP JPY CNY INR KRW BRL CAD AUD MXN NZD ILS VND TWD HKD PHP|
lt|\u00a0|,|1|\u2212|n\u00a0¤||n\u00a0%||USD GBP JPY CNY INR KRW BRL CAD AUD MXN NZD ILS VND TWD HKD PHP|
lv|\u00a0|,|2|-|n\u00a0¤||n%|NS|PHP|AUDAU$ THB฿
et|\u00a0|,|2|\u2212|n\u00a0¤||n%||PHP|AUDAU$ THB฿
sl|.|,|2|\u2212|n\u00a0¤||n\u00a0%||GBP BRL CAD AUD MXN NZD TWD PHP|
ca|.|,|1|-|n\u00a0¤||n\u00a0%||USD CNY BRL CAD MXN PHP|AUDAU$ THB฿`;

const REGIONS = { 'de-DE': 'de', 'pt-BR': 'pt', 'zh-CN': 'zh', 'zh-Hans': 'zh', 'zh-Hant': 'zh-TW', 'es-ES': 'es' };

let lines;
const lineOf = (locale) => {
  lines ??= new Map(TABLE.split('\n').map((line) => [line.slice(0, line.indexOf('|')), line.split('|')]));
  return lines.get(REGIONS[locale] ?? locale) ?? lines.get(locale.replace(/-[A-Z]{2}$/, ''));
};

// Regions whose numbers are those of their language.
const SINGLE = /^(it-IT|nl-NL|sv-SE|da-DK|nb-NO|no-NO|fi-FI|pl-PL|cs-CZ|sk-SK|hu-HU|ro-RO|ru-RU|uk-UA|tr-TR|el-GR|ja-JP|ko-KR|hi-IN|vi-VN|id-ID|th-TH|bg-BG|hr-HR|lt-LT|lv-LV|et-EE|sl-SI|ca-ES|fr-FR)$/;
// Returns true for a locale whose numbers are known.
const isKnown = (locale) => SINGLE.test(locale) || REGIONS[locale] !== undefined || lineOf(locale)?.[0] === locale;

const PIECE = /^([-+]?)(\(?)([^\d.,∞N]*?)([\d.,]+|∞|NaN)(.*?)(\)?)$/;

// The English text of a number in the words of `locale`. `options` are those of the formatter.
const translated = (locale, text, options) => {
  const [, groups, decimal, grouping, minus, amount, negative, percent, nan, codes, others] = lineOf(locale);
  const [, sign, opens, , digits, , closes] = PIECE.exec(text);
  const [whole, fraction] = digits.split('.');
  const plain = whole.replaceAll(',', '');
  const least = Number(grouping.replace('i', ''));
  const separator = grouping.startsWith('i') ? /\B(?=(\d{2})*\d{3}$)/g : /\B(?=(\d{3})+$)/g;
  const isGrouped = options.useGrouping && plain.length >= 3 + least;
  const group = groups[options.style === 'currency' ? groups.length - 1 : 0];
  let number = isGrouped ? plain.replace(separator, group) : plain;
  if (fraction !== undefined) number += decimal + fraction;
  if (digits === 'NaN' && nan !== '') number = nan;
  const signed = (pattern) => {
    if (sign === '-' && negative !== '' && options.style === 'currency') return negative.replace('-', minus);
    return opens + (sign === '-' ? minus : sign) + pattern + closes;
  };
  if (options.style === 'percent') return signed(percent).replace('n', () => number);
  if (options.style !== 'currency') return signed('n').replace('n', () => number);
  const { currency, currencyDisplay } = options;
  const own = new RegExp(`(?:^| )${currency}(\\S+)`).exec(others)?.[1].replaceAll('~', '\u00a0');
  const isCode = currencyDisplay === 'code' || codes.split(' ').includes(currency);
  const narrow = currencyDisplay === 'narrowSymbol' ? own?.replace(/^[A-Z]+(?=[^A-Z])/, '') : own;
  const symbol = isCode ? currency : (narrow ?? options.symbol ?? currency);
  // Letters are kept apart from digits.
  const pattern = signed(amount);
  const apart = /[A-Za-z]$/.test(symbol) ? pattern.replace('¤n', '¤\u00a0n') : pattern;
  return apart.replace('n', () => number).replace('¤', () => symbol);
};

export default { isKnown, separators: (locale) => [lineOf(locale)[1][0], lineOf(locale)[2]], translated };
