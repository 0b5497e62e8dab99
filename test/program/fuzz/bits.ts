import type { WindowModel } from './model.ts';

/** The bits of a window's bitmap: of those who are paid or held back. */
export function bitsOf({
  recipients,
  claimed,
  held,
}: Pick<WindowModel, 'recipients' | 'claimed' | 'held'>): Uint8Array {
  const bits = new Uint8Array(Math.ceil(recipients / 8));
  for (const index of [...claimed, ...held]) bits[index >> 3] = (bits[index >> 3] ?? 0) | (1 << (index & 7));
  return bits;
}
