/** Recipients of a schedule that can be held back. */
export const PLACES = 32;

/** The places of a schedule that holds these indexes back, in this order. */
export const held = (...indexes: readonly number[]): number[] => [
  ...indexes,
  ...new Array<number>(PLACES - indexes.length).fill(0),
];
