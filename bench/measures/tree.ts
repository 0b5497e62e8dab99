// The owners of a list's balances and its Merkle tree, as a registration and a window build them.
import { hash, randomBytes } from 'node:crypto';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { LEAF_RECORD_BYTES, MerkleTree } from '@payouts/client';
import { BLOCK_RECIPIENTS, ListRecords } from '../../packages/coordinator/dist/domain/listRecords.js';
import { judged, type Measure } from '../row.ts';
import { inTurn, least } from '../statistics.ts';

/** What is hashed for each leaf: a salt, which gives opening and blind; an owner; the leaf. */
const LEAF_INPUTS = [17, 50, 61] as const;
const NODE_BYTES = 65;
/** Enough that each of the two has the machine to itself in some round: nothing but other work makes a round longer than the least. */
const ROUNDS = 25;
const NANOSECONDS_A_MS = 1e6;

/** A list of made-up leaves, as a registration holds it. */
function someRecords(recipients: number): ListRecords {
  const blocks = Array.from({ length: Math.ceil(recipients / BLOCK_RECIPIENTS) }, (_, number) =>
    randomBytes(Math.min(BLOCK_RECIPIENTS, recipients - number * BLOCK_RECIPIENTS) * LEAF_RECORD_BYTES),
  );
  return new ListRecords(recipients, blocks);
}

/** A list's owners, and its tree. */
const build = async (records: ListRecords) => MerkleTree.ofTerms(await records.terms());

/** The longest time, in milliseconds, that the event loop stood still while something went on. */
async function longestStandstill(work: () => Promise<unknown>): Promise<number> {
  const delays = monitorEventLoopDelay({ resolution: 1 });
  delays.enable();
  await work();
  // Its last sample is taken when the loop turns once more.
  await new Promise((resolve) => setTimeout(resolve, 20));
  delays.disable();
  return delays.max / NANOSECONDS_A_MS;
}

/** The hashes of a list's owners and tree and nothing else: as many, of as many bytes, in the fastest way that Node has. */
export function hashAlone(recipients: number): void {
  const counts = [...LEAF_INPUTS.map((bytes) => [bytes, recipients] as const), [NODE_BYTES, recipients - 1] as const];
  for (const [bytes, count] of counts) {
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
      ROUNDS,
      () => hashAlone(recipients),
      () => build(records),
    );
    return [
      judged({
        name: `owners and Merkle tree of ${recipients.toLocaleString('en')} recipients`,
        measured: least(built),
        unit: ' ms',
        limit: { value: least(hashed), of: 'as many SHA-256 calls' },
        ratio: { most: 1.5 },
      }),
      judged({
        name: 'the same, longest standstill of the event loop',
        measured: await longestStandstill(() => build(records)),
        unit: ' ms',
        goal: { most: 50 },
      }),
    ];
  },
};
