export const average = (list) => total(list) / list.length;
export default function total(list) { return list.reduce((a, b) => a + b, 0); }
