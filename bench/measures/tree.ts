// The Merkle tree of a list, as a registration builds it.
import { hash, randomBytes } from 'node:crypto';
import { LEAF_RECORD_BYTES } from '@payouts/client';
import { BLOCK_RECIPIENTS, ListRecords } from '../../packages/coordinator/dist/domain/listRecords.js';
import { judged, type Measure } from '../row.ts';
import { inTurn, median } from '../statistics.ts';

const LEAF_BYTES = 62;
const NODE_BYTES = 65;

/** A list of made-up leaves, as a registration holds it. */
function someRecords(recipients: number): ListRecords {
  const blocks = Array.from({ length: Math.ceil(recipients / BLOCK_RECIPIENTS) }, (_, number) =>
    randomBytes(Math.min(BLOCK_RECIPIENTS, recipients - number * BLOCK_RECIPIENTS) * LEAF_RECORD_BYTES),
  );
  return new ListRecords(recipients, blocks);
}

/** The hashes of a list's tree and nothing else: as many, of as many bytes, in the fastest way that Node has. */
export function hashAlone(recipients: number): void {
  for (const [bytes, count] of [
    [LEAF_BYTES, recipients],
    [NODE_BYTES, recipients - 1],
  ] as const) {
    const input = new Uint8Array(bytes);
    for (let index = 0; index < count; index++) {
      input[1] = index;
      hash('sha256', input, 'binary');
    }
  }
}

export const tree: Measure = {
  name: 'tree',
  minutes: 0.2,
  async run(quick) {
    const recipients = quick ? 20_000 : 80_000;
    const records = someRecords(recipients);
    const [hashed = [], built = []] = await inTurn(
      15,
      () => hashAlone(recipients),
      () => records.tree(),
    );
    return [
      judged({
        name: `Merkle tree of ${recipients.toLocaleString('en')} recipients`,
        measured: median(built),
        unit: ' ms',
        limit: { value: median(hashed), of: 'as many SHA-256 calls' },
        ratio: { most: 1.5 },
      }),
    ];
  },
};
