import { randomBytes } from 'node:crypto';
import { LEAF_RECORD_BYTES } from '@payouts/client';
import { BLOCK_RECIPIENTS, ListRecords } from '../packages/coordinator/dist/domain/listRecords.js';
import { judged, type Measure } from './runner/measure.ts';
import { count } from './runner/options.ts';
import { median } from './runner/statistics.ts';
import { timed } from './runner/timed.ts';
import { hashAlone } from './tree/hashAlone.ts';

type Options = { readonly recipients: number; readonly rounds: number };

/** A list of made-up leaves, as a registration holds it. */
function someRecords(recipients: number): ListRecords {
  const blocks = Array.from({ length: Math.ceil(recipients / BLOCK_RECIPIENTS) }, (_, number) =>
    randomBytes(Math.min(BLOCK_RECIPIENTS, recipients - number * BLOCK_RECIPIENTS) * LEAF_RECORD_BYTES),
  );
  return new ListRecords(recipients, blocks);
}

export const tree: Measure<Options> = {
  name: 'tree',
  what: 'The Merkle tree of a list beside the same number of SHA-256 calls.',
  minutes: 0.2,
  options: (command) =>
    command
      .option('--recipients <n>', 'leaves of the tree', count, 80_000)
      .option('--rounds <n>', 'times that both are measured, in turn', count, 15),
  short: ['--recipients', '20000'],
  async run({ recipients, rounds }) {
    const records = someRecords(recipients);
    const took: { built: number[]; hashed: number[] } = { built: [], hashed: [] };
    for (let round = 0; round < rounds; round++) {
      took.hashed.push(await timed(() => hashAlone(recipients)));
      took.built.push(await timed(() => records.tree()));
    }
    const row = judged({
      id: 'tree',
      measure: `Merkle tree of ${recipients.toLocaleString('en')}`,
      figure: median(took.built),
      unit: 'ms',
      limit: median(took.hashed),
      limitName: 'as many SHA-256 calls',
      goal: { of: 'ratio', most: 1.5 },
    });
    return { rows: [row] };
  },
};
