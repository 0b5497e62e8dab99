import { setImmediate as nextTurn } from 'node:timers/promises';
import { deriveBalanceAddresses, leafHash, MerkleTree, type Recipient, type Schedule } from '@payouts/client';
import type { Address } from '@solana/kit';
import type { Kysely } from 'kysely';
import { Problem } from '../domain/problems.ts';
import type { PayableRecipient } from '../domain/recipient.ts';
import { rootText, scheduleOf } from '../ledger/accounts.ts';
import type { BaseLedger } from '../ledger/ledger.ts';
import { seenSchedule } from '../ledger/seen.ts';
import type { PayloadKeys } from '../store/payloadKeys.ts';
import { findList, registerList } from '../store/queries/lists.ts';
import type { Tables } from '../store/schema.ts';

export type RegistrarInput = {
  readonly base: BaseLedger;
  readonly database: Kysely<Tables>;
  readonly payloadKeys: PayloadKeys;
  readonly program: Address;
};

/** A registered list: its root (hexadecimal) and whether this call stored it. */
export type Registered = { readonly root: string; readonly created: boolean };

/** Hashes between two turns of the event loop. */
const CHUNK = 2_000;

/**
 * Registers a schedule's list: it must rebuild the root on the ledger and add up to its amount and count. Throws `Problem` naming
 * the first thing that differs, or `RunError` when the ledger can't be read; then nothing is stored.
 */
export async function register(
  input: RegistrarInput,
  address: Address,
  recipients: readonly Recipient[],
): Promise<Registered> {
  const { base, database, payloadKeys, program } = input;
  const { slot, accounts } = await base.accounts([address]);
  const schedule = scheduleOf(accounts[0] ?? null, program);
  if (schedule === undefined) {
    throw new Problem('schedule-not-found', 'The ledger has no schedule of this program at the address.');
  }
  const ledgerRoot = rootText(schedule);
  const root = await rebuildRoot(recipients);
  if (await findList(database, address, ledgerRoot)) {
    if (root === ledgerRoot) return { root, created: false };
    throw new Problem('list-conflict', 'Another list is registered for this schedule and its present root.');
  }
  if (root !== ledgerRoot && (await findList(database, address, root))) {
    throw new Problem('root-replaced', 'The list is that of a root which the ledger has replaced.');
  }
  compare(schedule, recipients);
  if (root !== ledgerRoot) throw new Problem('root-mismatch', 'The list does not rebuild the root on the ledger.');

  const created = await registerList(database, {
    schedule: seenSchedule(address, schedule, slot, Date.now()),
    root: Buffer.from(root, 'hex'),
    recipients: await withBalances(recipients, schedule, program),
    payloadKeys,
    at: Date.now(),
  });
  return { root, created };
}

async function rebuildRoot(recipients: readonly Recipient[]): Promise<string> {
  const leaves: Uint8Array[] = [];
  for (const recipient of recipients) {
    if (leaves.length % CHUNK === 0) await nextTurn();
    leaves.push(leafHash(recipient));
  }
  return Buffer.from(new MerkleTree(leaves).root).toString('hex');
}

function compare(schedule: Schedule, recipients: readonly Recipient[]): void {
  if (recipients.length !== schedule.recipients) {
    const detail = `The list has ${recipients.length} recipients; the ledger says ${schedule.recipients}.`;
    throw new Problem('count-mismatch', detail, { expected: schedule.recipients, found: recipients.length });
  }
  const total = recipients.reduce((sum, { amount }) => sum + amount, 0n);
  if (total !== schedule.amount) {
    throw new Problem('total-mismatch', "The list's amounts don't add up to the schedule's amount per execution.");
  }
}

async function withBalances(
  recipients: readonly Recipient[],
  { mint }: Schedule,
  programAddress: Address,
): Promise<PayableRecipient[]> {
  const balances = await deriveBalanceAddresses({ mint, recipients, programAddress });
  return recipients.map((recipient, place) => {
    const { address: balance, bump } = balances[place] as (typeof balances)[number];
    return { ...recipient, balance, bump };
  });
}
