export const money = (n) => `$${n.toFixed(2)}`;
export const percent = (n) => `${n * 100}%`;
