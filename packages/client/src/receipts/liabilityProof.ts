import type { Address } from '@solana/kit';
import { fromHex, toHex } from '#platform';
import { isAddressText } from '../accounts/base58.ts';
import { ClientError } from '../http/clientError.ts';
import type { LiabilityLeaf } from '../merkle/liabilities.ts';

/** What a recipient, or an employer for an open window, needs to be paid from the pool when the execution layer is lost. Private. */
export type LiabilityProof = {
  readonly mint: Address;
  /** The recording whose root the base ledger holds. */
  readonly sequence: bigint;
  readonly root: Uint8Array;
  /** How many the tree has. */
  readonly leaves: number;
  readonly leaf: LiabilityLeaf;
  readonly proof: readonly Uint8Array[];
};

/** A proof as JSON: 64-bit numbers as decimal text, bytes as hexadecimal. */
export function liabilityProofToJson({
  sequence,
  root,
  leaf,
  proof,
  ...rest
}: LiabilityProof): Record<string, unknown> {
  const written = Object.entries(leaf).map(([name, value]) => {
    if (value instanceof Uint8Array) return [name, toHex(value)];
    return [name, typeof value === 'bigint' ? value.toString() : value];
  });
  return {
    ...rest,
    sequence: sequence.toString(),
    root: toHex(root),
    leaf: Object.fromEntries(written),
    proof: proof.map(toHex),
  };
}

/** A proof from JSON as `liabilityProofToJson` writes it. Throws `INVALID_LEAF` for anything else. */
export function liabilityProofFromJson(json: unknown): LiabilityProof {
  const { mint, sequence, root, leaves, leaf, proof } = objectOf(json);
  const fields = objectOf(leaf);
  const shared = { index: count(fields.index), blind: bytes(fields.blind) };
  return {
    mint: address(mint),
    sequence: u64(sequence),
    root: bytes(root),
    leaves: count(leaves),
    leaf:
      fields.kind === 'window'
        ? {
            kind: 'window',
            ...shared,
            schedule: address(fields.schedule),
            window: u64(fields.window),
            paid: u64(fields.paid),
          }
        : {
            kind: 'balance',
            ...shared,
            owner: bytes(fields.owner),
            amount: u64(fields.amount),
            number: u64(fields.number),
          },
    proof: Array.isArray(proof) ? proof.map(bytes) : refuse(),
  };
}

function refuse(): never {
  throw new ClientError('INVALID_LEAF', 'This is no proof of a liability leaf.');
}

const objectOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : refuse();
const address = (value: unknown): Address => (typeof value === 'string' && isAddressText(value) ? value : refuse());
const u64 = (value: unknown): bigint =>
  typeof value === 'string' && /^[0-9]{1,20}$/.test(value) ? BigInt(value) : refuse();
const count = (value: unknown): number => (Number.isInteger(value) && Number(value) >= 0 ? Number(value) : refuse());
const bytes = (value: unknown): Uint8Array =>
  typeof value === 'string' && /^([0-9a-f]{2})+$/.test(value) ? fromHex(value) : refuse();
