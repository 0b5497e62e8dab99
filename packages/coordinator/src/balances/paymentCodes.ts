import { createHmac } from 'node:crypto';
import { addressToBytes, ownerRecord, type RandomBelow, SALT_BYTES, type Time } from '@payouts/client';
import type { Address } from '@solana/kit';
import type { PayloadKeys } from '../store/crypto/payloadKeys.ts';
import { findTreeKey, treeKey } from '../store/queries/liabilities.ts';
import { findPaid } from '../store/queries/owners.ts';
import { allotOwner } from '../store/queries/slots.ts';
import type { Db } from '../store/schema.ts';
import type { Balances } from './balances.ts';

/** What is hashed before a recipient to their code's salt, and before a transfer to what its payer's mark is made with. */
const PURPOSE = { code: 'payment code', payer: 'private transfer' } as const;

export type PaymentCodesInput = {
  readonly database: Db;
  readonly payloadKeys: PayloadKeys;
  readonly balances: Balances;
  readonly time: Pick<Time, 'now'>;
};

/** A recipient's balance that payment codes name. The salt is theirs alone. */
export type CodeBalance = { readonly owner: Uint8Array; readonly salt: Uint8Array; readonly place: number };

/** A private transfer as it was begun: who pays, the owner of the code's balance, its number among the payer's, and when. */
type BegunTransfer = {
  readonly recipient: Address;
  readonly code: Address;
  readonly id: bigint;
  readonly seenAt: number;
};

/**
 * Balances that payment codes name: one for each recipient and token. Its salt follows from the recipient and what the token's tree draws its
 * blinds from, which never changes: so nothing is kept that would name a recipient. All throw `WrongPayloadKey` or `DecryptionFailed`.
 */
export class PaymentCodes {
  constructor(private readonly input: PaymentCodesInput) {}

  /** A recipient's, which is given a place where it has none; undefined: no page has room before the next window. */
  async give(mint: Address, recipient: Address, randomBelow: RandomBelow): Promise<CodeBalance | undefined> {
    const { database, payloadKeys, balances, time } = this.input;
    const at = time.now();
    const { seed } = await treeKey(database, mint, payloadKeys, at);
    const own = codeOwner(seed, recipient);
    await balances.compare(mint);
    const pages = await balances.pages.all(mint);
    const missing = new Set((await balances.pages.missing(mint, pages)).map(({ number }) => number));
    const made = new Set(pages.map(({ number }) => number).filter((number) => !missing.has(number)));
    const isMade = (page: number) => made.has(page);
    const place = await allotOwner(database, payloadKeys, { mint, at, owner: own.owner, isMade, randomBelow });
    return place === undefined ? undefined : { ...own, place };
  }

  /** A recipient's, if they have asked for it. */
  async of(mint: Address, recipient: Address): Promise<CodeBalance | undefined> {
    const { database, payloadKeys } = this.input;
    const tree = await findTreeKey(database, mint, payloadKeys);
    if (tree === undefined) return undefined;
    const own = codeOwner(tree.seed, recipient);
    const place = await findPaid(database, { mint, key: tree.key }, own.owner);
    return place === undefined ? undefined : { ...own, place };
  }

  /**
   * What the mark of a payer is made with in receipts, 16 bytes: another one for each transfer, so that no two can be seen to be of one payer,
   * and theirs alone: an employer knows the salts of lists.
   */
  async secretOf(mint: Address, { recipient, code, id, seenAt }: BegunTransfer): Promise<Uint8Array> {
    const { database, payloadKeys, time } = this.input;
    const { seed } = await treeKey(database, mint, payloadKeys, time.now());
    const hash = createHmac('sha256', seed).update(`${PURPOSE.payer} ${id} ${seenAt}`);
    const secret = hash.update(addressToBytes(recipient)).update(addressToBytes(code)).digest();
    return Uint8Array.from(secret.subarray(0, SALT_BYTES));
  }

  /** Where the balance of a code is, by its owner; undefined: no recipient has it. */
  async placeOf(mint: Address, owner: Uint8Array): Promise<number | undefined> {
    const { database, payloadKeys } = this.input;
    const tree = await findTreeKey(database, mint, payloadKeys);
    return tree && findPaid(database, { mint, key: tree.key }, owner);
  }
}

/** The owner and salt of a recipient's code, by the seed of the token's tree. */
export function codeOwner(seed: Uint8Array, recipient: Address): Omit<CodeBalance, 'place'> {
  const hash = createHmac('sha256', seed).update(PURPOSE.code).update(addressToBytes(recipient)).digest();
  const salt = Uint8Array.from(hash.subarray(0, SALT_BYTES));
  const { owner } = ownerRecord({ recipient, salt, delivery: 'balance' });
  return { owner, salt };
}
