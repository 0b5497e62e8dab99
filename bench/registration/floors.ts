import { hash } from 'node:crypto';

const LEAF_BYTES = 62;
const NODE_BYTES = 65;

/** The middle of an odd number of measurements. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] as number;
}

/** Milliseconds of `work`, the median of `times`. */
function measure(times: number, work: () => void): number {
  return median(
    Array.from({ length: times }, () => {
      const begun = performance.now();
      work();
      return performance.now() - begun;
    }),
  );
}

/** Milliseconds to parse a body of JSON as Node does it best: the whole text at once. */
export const parseAlone = (body: Buffer, times: number): number =>
  measure(times, () => JSON.parse(body.toString('latin1')));

/** Milliseconds for the hashes of a list's tree and nothing else: as many, of as many bytes, in the fastest way that Node has. */
export function hashAlone(recipients: number, times: number): number {
  const leaf = new Uint8Array(LEAF_BYTES);
  const node = new Uint8Array(NODE_BYTES);
  return measure(times, () => {
    for (let index = 0; index < recipients; index++) {
      leaf[1] = index;
      hash('sha256', leaf, 'binary');
    }
    for (let index = 0; index < recipients - 1; index++) {
      node[1] = index;
      hash('sha256', node, 'binary');
    }
  });
}
