import { money } from './format.mjs';
export const later = async () => money(9.5);
