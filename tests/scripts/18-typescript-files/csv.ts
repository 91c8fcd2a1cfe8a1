export type Row = Record<string, string>;
export function parse(text: string): Row[] {
  const [head, ...lines] = text.trim().split('\n').map((line) => line.split(','));
  return lines.map((cells) => Object.fromEntries(cells.map((cell, i) => [head![i]!, cell])) as Row);
}
