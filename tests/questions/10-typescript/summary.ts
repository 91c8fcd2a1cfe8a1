export interface Row { day: string; product: string; amount: number }

export function summary(rows: Row[]): string {
  const best = rows.reduce((best, row) => (row.amount > best.amount ? row : best));
  return `${rows.length} rows, best: ${best.product}`;
}
