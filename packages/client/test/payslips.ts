import { generateKeyPairSigner, type KeyPairSigner } from '@solana/kit';
import {
  bitmapHash,
  bitmapSize,
  buildTransaction,
  type Leaf,
  leafHash,
  MerkleTree,
  PAYOUT_LEDGER_PROGRAM_ADDRESS,
  type Payslip,
  type SettledWindow,
  type SignedWindow,
  settleInstructions,
  signWindow,
} from '../src/index.ts';
import { randomAddress } from './support.ts';

/** A settled window over leaves, with the transaction that settled it, and the bitmap that it left. */
export type MadeWindow = {
  readonly settled: SignedWindow;
  readonly bitmap: Uint8Array;
  readonly leaves: readonly Leaf[];
  readonly tree: MerkleTree;
  readonly authority: KeyPairSigner;
};

export type Made = {
  /** Which window it is, and who settled it; made up, where it does not say. */
  readonly place?: Partial<Pick<SettledWindow, 'vault' | 'schedule' | 'mint' | 'window'>>;
  readonly by?: KeyPairSigner;
  readonly held?: readonly number[];
  readonly unpaid?: readonly number[];
  readonly changes?: Partial<SettledWindow>;
};

/** A window that paid all leaves but those held back and those left unpaid. */
export async function settledWindow(
  leaves: readonly Leaf[],
  { held = [], unpaid = [], changes = {}, place = {}, by }: Made = {},
): Promise<MadeWindow> {
  const authority = by ?? (await generateKeyPairSigner());
  const { vault = randomAddress(), schedule = randomAddress(), mint = randomAddress(), window = 7n } = place;
  const bitmap = new Uint8Array(bitmapSize(leaves.length));
  for (const { index } of leaves) {
    if (!unpaid.includes(index)) bitmap[index >> 3] = (bitmap[index >> 3] as number) | (1 << (index & 7));
  }
  const paid = leaves.filter(({ index }) => !unpaid.includes(index) && !held.includes(index));
  const sum = (some: readonly Leaf[]) => some.reduce((total, { amount }) => total + amount, 0n);
  const { wire, signature } = await buildTransaction({
    feePayer: authority,
    lifetime: { blockhash: randomAddress() as never, lastValidBlockHeight: 1n },
    instructions: await settleInstructions({
      authority,
      mint,
      windows: [{ schedule, vault, window, paid: sum(paid) }],
    }),
  });
  const tree = new MerkleTree(leaves.map(leafHash));
  const unsigned: SettledWindow = {
    program: PAYOUT_LEDGER_PROGRAM_ADDRESS,
    vault,
    schedule,
    mint,
    decimals: 6,
    symbol: 'USDC',
    window,
    root: tree.root,
    recipients: leaves.length,
    promised: sum(leaves),
    paidCount: paid.length,
    paid: sum(paid),
    held: [...held].sort((a, b) => a - b),
    bitmapHash: bitmapHash({ schedule, window, bitmap }),
    settlement: { signature, slot: 4_711n, transaction: new Uint8Array(Buffer.from(wire, 'base64')) },
    settledAt: 1_796_025_604_902,
    ...changes,
  };
  return { settled: await signWindow(unsigned, authority), bitmap, leaves, tree, authority };
}

/** The payslip of one leaf of a window. */
export const payslipOf = ({ settled, bitmap, leaves, tree }: MadeWindow, index: number): Payslip => ({
  leaf: leaves[index] as Leaf,
  proof: tree.proof(index),
  bitmap,
  settled,
});
