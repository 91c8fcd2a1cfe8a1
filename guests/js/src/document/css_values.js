// Values of CSS as far as a declaration checks them: colours, lengths and numbers. Other values are
// kept as they were written.
(function (native, internal) {
  'use strict';

  const NAMES =
    'aliceblue f0f8ff antiquewhite faebd7 aqua 00ffff aquamarine 7fffd4 azure f0ffff beige f5f5dc bisque ffe4c4 black 000000 blanchedalmond ffebcd blue 0000ff blueviolet 8a2be2 brown a52a2a burlywood deb887 cadetblue 5f9ea0 chartreuse 7fff00 chocolate d2691e coral ff7f50 cornflowerblue 6495ed cornsilk fff8dc crimson dc143c cyan 00ffff darkblue 00008b darkcyan 008b8b darkgoldenrod b8860b darkgray a9a9a9 darkgreen 006400 darkgrey a9a9a9 darkkhaki bdb76b darkmagenta 8b008b darkolivegreen 556b2f darkorange ff8c00 darkorchid 9932cc darkred 8b0000 darksalmon e9967a darkseagreen 8fbc8f darkslateblue 483d8b darkslategray 2f4f4f darkslategrey 2f4f4f darkturquoise 00ced1 darkviolet 9400d3 deeppink ff1493 deepskyblue 00bfff dimgray 696969 dimgrey 696969 dodgerblue 1e90ff firebrick b22222 floralwhite fffaf0 forestgreen 228b22 fuchsia ff00ff gainsboro dcdcdc ghostwhite f8f8ff gold ffd700 goldenrod daa520 gray 808080 green 008000 greenyellow adff2f grey 808080 honeydew f0fff0 hotpink ff69b4 indianred cd5c5c indigo 4b0082 ivory fffff0 khaki f0e68c lavender e6e6fa lavenderblush fff0f5 lawngreen 7cfc00 lemonchiffon fffacd lightblue add8e6 lightcoral f08080 lightcyan e0ffff lightgoldenrodyellow fafad2 lightgray d3d3d3 lightgreen 90ee90 lightgrey d3d3d3 lightpink ffb6c1 lightsalmon ffa07a lightseagreen 20b2aa lightskyblue 87cefa lightslategray 778899 lightslategrey 778899 lightsteelblue b0c4de lightyellow ffffe0 lime 00ff00 limegreen 32cd32 linen faf0e6 magenta ff00ff maroon 800000 mediumaquamarine 66cdaa mediumblue 0000cd mediumorchid ba55d3 mediumpurple 9370db mediumseagreen 3cb371 mediumslateblue 7b68ee mediumspringgreen 00fa9a mediumturquoise 48d1cc mediumvioletred c71585 midnightblue 191970 mintcream f5fffa mistyrose ffe4e1 moccasin ffe4b5 navajowhite ffdead navy 000080 oldlace fdf5e6 olive 808000 olivedrab 6b8e23 orange ffa500 orangered ff4500 orchid da70d6 palegoldenrod eee8aa palegreen 98fb98 paleturquoise afeeee palevioletred db7093 papayawhip ffefd5 peachpuff ffdab9 peru cd853f pink ffc0cb plum dda0dd powderblue b0e0e6 purple 800080 rebeccapurple 663399 red ff0000 rosybrown bc8f8f royalblue 4169e1 saddlebrown 8b4513 salmon fa8072 sandybrown f4a460 seagreen 2e8b57 seashell fff5ee sienna a0522d silver c0c0c0 skyblue 87ceeb slateblue 6a5acd slategray 708090 slategrey 708090 snow fffafa springgreen 00ff7f steelblue 4682b4 tan d2b48c teal 008080 thistle d8bfd8 tomato ff6347 turquoise 40e0d0 violet ee82ee wheat f5deb3 white ffffff whitesmoke f5f5f5 yellow ffff00 yellowgreen 9acd32'.split(
      ' ',
    );
  const SYSTEM =
    'currentcolor transparent accentcolor accentcolortext activetext buttonborder buttonface buttontext canvas canvastext field fieldtext graytext highlight highlighttext linktext mark marktext selecteditem selecteditemtext visitedtext'.split(
      ' ',
    );
  const named = new Map();
  for (let at = 0; at < NAMES.length; at += 2) named.set(NAMES[at], NAMES[at + 1]);

  const clamp = (value, most) => Math.max(0, Math.min(most, value));
  const written = (red, green, blue, alpha) => {
    const parts = [red, green, blue].map((part) => Math.round(clamp(part, 255))).join(', ');
    if (alpha === 1) return `rgb(${parts})`;
    const kept = clamp(alpha, 1);
    // Two digits, if they are the same in eight bits.
    const short = Number(kept.toFixed(2));
    const isEnough = Math.round(short * 255) === Math.round(kept * 255);
    return `rgba(${parts}, ${isEnough ? short : Number(kept.toFixed(3))})`;
  };
  const fromHex = (digits) => {
    const long = digits.length < 6 ? [...digits].map((digit) => digit + digit).join('') : digits;
    const part = (at) => parseInt(long.slice(at, at + 2), 16);
    return written(part(0), part(2), part(4), long.length === 8 ? part(6) / 255 : 1);
  };
  const fromHsl = (hue, saturation, lightness, alpha) => {
    const part = (n) => {
      const k = (n + hue / 30) % 12;
      const a = saturation * Math.min(lightness, 1 - lightness);
      return 255 * (lightness - a * Math.max(-1, Math.min(k - 3, 9 - k, 1)));
    };
    return written(part(0), part(8), part(4), alpha);
  };
  const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/;
  const scaled = (text, whole) => {
    if (text === 'none') return 0;
    if (text.endsWith('%')) return NUMBER.test(text.slice(0, -1)) ? (parseFloat(text) / 100) * whole : NaN;
    return NUMBER.test(text) ? parseFloat(text) : NaN;
  };
  const TURNS = { deg: 1, grad: 0.9, rad: 180 / Math.PI, turn: 360, '': 1 };
  const fromFunction = (name, inside) => {
    const parts = inside.trim().split(/\s*,\s*|\s*\/\s*|\s+/);
    if (parts.length !== 3 && parts.length !== 4) return undefined;
    const alpha = parts.length === 4 ? clamp(scaled(parts[3], 1), 1) : 1;
    let result;
    if (name.startsWith('rgb')) {
      const colors = parts.slice(0, 3).map((part) => scaled(part, 255));
      if (colors.some(Number.isNaN)) return undefined;
      result = written(...colors, alpha);
    } else {
      const [, turned, unit] = /^(.*?)(deg|grad|rad|turn|)$/.exec(parts[0]);
      const hue = scaled(turned, 360) * TURNS[unit];
      const [saturation, lightness] = [parts[1], parts[2]].map((part) => scaled(part, 100) / 100);
      if (Number.isNaN(hue + saturation + lightness)) return undefined;
      result = fromHsl(((hue % 360) + 360) % 360, clamp(saturation, 1), clamp(lightness, 1), alpha);
    }
    return Number.isNaN(alpha) ? undefined : result;
  };
  const OTHERS = /^(?:color|color-mix|device-cmyk|hwb|lab|lch|light-dark|oklab|oklch|var|env|attr|contrast-color)\(.*\)$/s;
  // A colour as a declaration keeps it, or undefined for another value.
  const color = (text) => {
    const lower = text.toLowerCase();
    if (named.has(lower) || SYSTEM.includes(lower)) return lower;
    if (/^#(?:[\da-f]{3,4}|[\da-f]{6}|[\da-f]{8})$/.test(lower)) return fromHex(lower.slice(1));
    const call = /^(rgba?|hsla?)\(([^()]*)\)$/.exec(lower);
    if (call !== null) return fromFunction(call[1], call[2]);
    return OTHERS.test(lower) || /^(?:rgba?|hsla?)\(/.test(lower) ? text : undefined;
  };
  internal.cssColor = color;
  // A colour as one computes it.
  internal.computedColor = (text) => {
    if (text === 'transparent') return 'rgba(0, 0, 0, 0)';
    const hex = named.get(text.toLowerCase());
    return hex === undefined ? (color(text) ?? text) : fromHex(hex);
  };

  const KEYWORD = /^(?:inherit|initial|unset|revert|revert-layer)$/i;
  const CALL = /^-?[a-z-]+\(.*\)$/is;
  internal.isWideKeyword = (text) => KEYWORD.test(text);
  const LENGTH = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?(?:%|[a-z]+)$/i;
  const ZERO = /^[+-]?(?:0+\.?0*|\.0+)$/;
  const tidy = (text) => text.toLowerCase().replace(/^([+-]?)\./, '$10.').replace(/^\+/, '').replace(/(\.\d*?)0+(?=[a-z%])/, '$1').replace(/\.(?=[a-z%])/, '');
  const LENGTH_WORDS = new Set(
    'auto none normal content min-content max-content fit-content stretch thin medium thick xx-small x-small small large x-large xx-large xxx-large smaller larger math anchor-center -webkit-fill-available -moz-available'.split(' '),
  );
  // Lengths need a unit unless they are zero; some words stay.
  const length = (text) => {
    if (ZERO.test(text)) return '0px';
    if (LENGTH.test(text)) return tidy(text);
    if (LENGTH_WORDS.has(text.toLowerCase())) return text.toLowerCase();
    return CALL.test(text) ? text : undefined;
  };
  const numeric = (text) => {
    if (NUMBER.test(text)) return `${Number(text)}`;
    if (text.toLowerCase() === 'auto' || text.toLowerCase() === 'none') return text.toLowerCase();
    return CALL.test(text) || /^[+-]?[\d.]+%$/.test(text) ? text : undefined;
  };
  const keyword = (text) => (/^[a-z-]+(?: [a-z-]+)*$/i.test(text) ? text.toLowerCase() : text);
  const oneOf = (list) => {
    const known = new Set(list.split(' '));
    return (text) => (known.has(text.toLowerCase()) ? text.toLowerCase() : undefined);
  };
  const WORDS = new Set(['thin', 'medium', 'thick']);
  const LINES = new Set('none hidden dotted dashed solid double groove ridge inset outset auto'.split(' '));
  const lineWidth = (text) => (/^[a-z]/i.test(text) && !CALL.test(text) && !WORDS.has(text.toLowerCase()) ? undefined : length(text));
  const lineStyle = (text) => (LINES.has(text.toLowerCase()) ? text.toLowerCase() : undefined);

  const KINDS = new Map();
  const kind = (check, names) => names.split(' ').forEach((name) => KINDS.set(name, check));
  const SIDES = ['top', 'right', 'bottom', 'left'];
  kind(color, 'color background-color outline-color text-decoration-color caret-color column-rule-color border-block-color');
  kind(length, 'width height min-width min-height max-width max-height top right bottom left inset-block-start inset-inline-start font-size letter-spacing word-spacing text-indent row-gap column-gap outline-offset flex-basis border-top-left-radius-x');
  kind(numeric, 'opacity z-index order flex-grow flex-shrink line-clamp orphans widows');
  kind(oneOf('static relative absolute fixed sticky -webkit-sticky'), 'position');
  kind(oneOf('visible hidden collapse'), 'visibility');
  kind(oneOf('left right none inline-start inline-end'), 'float');
  kind(oneOf('visible hidden clip scroll auto overlay'), 'overflow-x overflow-y');
  kind(oneOf('content-box border-box'), 'box-sizing');
  kind(keyword, 'display clear pointer-events text-align text-transform white-space vertical-align cursor direction flex-direction flex-wrap align-items align-content align-self justify-content justify-items justify-self user-select font-style table-layout border-collapse list-style-position resize object-fit');
  for (const side of SIDES) {
    kind(length, `margin-${side} padding-${side}`);
    kind(lineWidth, `border-${side}-width`);
    kind(lineStyle, `border-${side}-style`);
    kind(color, `border-${side}-color`);
  }
  kind(lineWidth, 'outline-width column-rule-width');
  kind(lineStyle, 'outline-style');
  internal.lineWidth = lineWidth;
  internal.lineStyle = lineStyle;
  internal.cssLength = length;
  // The value that a declaration of this property keeps, or undefined if it is none.
  internal.cssValue = (name, text) => {
    const check = KINDS.get(name);
    if (check === undefined || name.startsWith('--')) return text;
    return KEYWORD.test(text) ? text.toLowerCase() : /\bvar\(/i.test(text) ? text : check(text);
  };
  internal.isColorProperty = (name) => KINDS.get(name) === color;
});
