import type { Address } from '@solana/kit';
import { compareBytes } from '../bytes.ts';
import { shuffled } from '../exits/order.ts';
import { ClientError } from '../http/clientError.ts';
import { MAX_LEAVES, MAX_U64 } from './limits.ts';
import { type BalanceOwner, ownerRecord, type PayoutDelivery, SALT_BYTES } from './owner.ts';
import { type Leaf, leafHash, MerkleTree } from './tree.ts';

/** One entry of a recipients' list: a leaf of its tree. Private: it never belongs in a log, a metric or an error. */
export type Recipient = Leaf;

/** Whom to pay and how much, before the list is shuffled; `amount` in base units, `delivery` the private balance by default. */
export type Payee = {
  readonly recipient: Address;
  readonly amount: bigint;
  readonly delivery?: PayoutDelivery;
};

/** A complete list: recipients in order of index, their sum in base units, and the tree whose root the ledger holds. */
export type RecipientList = {
  readonly recipients: readonly Recipient[];
  readonly total: bigint;
  readonly tree: MerkleTree;
  readonly root: Uint8Array;
};

/** `saltFor` gives a recipient's salt, 16 bytes and always the same for the same recipient; random by default. */
export type PrepareListOptions = { readonly saltFor?: (recipient: Address) => Uint8Array };

/** Entries that are shuffled among themselves where a list is long: about as many as a page has balances. */
const BLOCK = 256;

/**
 * Makes a list of payees: puts them in an order of which an index says nothing, salts and numbers them. A recipient who stands in the
 * list twice has the same salt, so one balance. Throws `INVALID_LIST`, `INVALID_LEAF` or `INVALID_ADDRESS`.
 */
export function prepareList(payees: readonly Payee[], options: PrepareListOptions = {}): RecipientList {
  const saltFor = options.saltFor ?? (() => crypto.getRandomValues(new Uint8Array(SALT_BYTES)));
  const salts = new Map<Address, Uint8Array>();
  const saltOf = (recipient: Address) => {
    const salt = salts.get(recipient) ?? saltFor(recipient);
    salts.set(recipient, salt);
    return salt;
  };
  checkSize(payees.length);
  const salted = payees.map(({ delivery = 'balance', ...payee }) => ({
    ...payee,
    delivery,
    salt: saltOf(payee.recipient),
  }));
  return listFromRecipients(arranged(salted).map((entry, index): Recipient => ({ ...entry, index })));
}

/**
 * Puts entries in an order of which an index says nothing, and in which neighbours' balances share pages: in the order of their owners,
 * which are hashes, in blocks; the blocks are shuffled, and each in itself. So another list of the same people has the same blocks, in which
 * nobody finds anybody.
 */
function arranged<T extends BalanceOwner>(entries: readonly T[]): T[] {
  if (entries.length <= BLOCK) return shuffled(entries);
  const owned = entries.map((entry) => ({ entry, owner: ownerRecord(entry).owner }));
  owned.sort((one, other) => compareBytes(one.owner, other.owner));
  const blocks = Array.from({ length: Math.ceil(owned.length / BLOCK) }, (_, block) =>
    shuffled(owned.slice(block * BLOCK, (block + 1) * BLOCK)),
  );
  return shuffled(blocks).flatMap((block) => block.map(({ entry }) => entry));
}

/**
 * A list of recipients that have their indexes and salts already, in any order. The indexes must be 0 to n − 1, each once, and
 * the amounts positive with a sum that fits 64 bits. Throws `INVALID_LIST`, `INVALID_LEAF` or `INVALID_ADDRESS`.
 */
export function listFromRecipients(entries: readonly Recipient[]): RecipientList {
  checkSize(entries.length);
  const recipients = [...entries].sort((a, b) => a.index - b.index);
  let total = 0n;
  for (const [place, { index, amount }] of recipients.entries()) {
    if (index !== place) throw new ClientError('INVALID_LIST', `Index ${place} is missing or is in the list twice.`);
    if (amount <= 0n) throw new ClientError('INVALID_LIST', `The amount at index ${place} is not positive.`);
    total += amount;
  }
  if (total > MAX_U64) throw new ClientError('INVALID_LIST', "The list's total does not fit 64 bits.");
  const tree = new MerkleTree(recipients.map(leafHash));
  return { recipients, total, tree, root: tree.root };
}

function checkSize(size: number): void {
  if (size < 1 || size > MAX_LEAVES) {
    throw new ClientError('INVALID_LIST', `A list has between 1 and ${MAX_LEAVES} recipients.`);
  }
}
