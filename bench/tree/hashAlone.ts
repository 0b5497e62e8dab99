import { hash } from 'node:crypto';

const LEAF_BYTES = 62;
const NODE_BYTES = 65;

/** The hashes of a list's tree and nothing else: as many, of as many bytes, in the fastest way that Node has. */
export function hashAlone(recipients: number): void {
  const leaf = new Uint8Array(LEAF_BYTES);
  const node = new Uint8Array(NODE_BYTES);
  for (let index = 0; index < recipients; index++) {
    leaf[1] = index;
    hash('sha256', leaf, 'binary');
  }
  for (let index = 0; index < recipients - 1; index++) {
    node[1] = index;
    hash('sha256', node, 'binary');
  }
}
