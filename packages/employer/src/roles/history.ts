import { type BaseConnection, decodeEvents, type PayoutEvent, signaturesFor } from '@payouts/client';
import {
  type Address,
  type GetSignaturesForAddressApi,
  type GetTransactionApi,
  getBase64Encoder,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  type Rpc,
  type Signature,
} from '@solana/kit';
import { Failure } from '../failure.ts';
import { readMemberCall } from '../treasury/squads.ts';
import type { Treasury } from '../treasury/treasury.ts';
import { approvalsOf } from '../vault.ts';
import { givenRole } from './roles.ts';

/** Something that was done. */
export type Deed = {
  /** In a few words, such as `approved` or `role set`. */
  readonly what: string;
  /** Of the treasury's transaction. */
  readonly number?: bigint;
  /** The key, schedule, vault or token that it is about. */
  readonly about?: Address;
  /** The role that was given; null: it was taken back. */
  readonly role?: string | null;
};

/** A transaction by which an employer's people did something. */
export type RoleHistoryEntry = {
  readonly signature: Signature;
  /** Unix milliseconds of the ledger's clock; undefined: the node does not say. */
  readonly at: number | undefined;
  /** Who signed it: the member, or the employer or their approver. */
  readonly by: Address;
  readonly deeds: readonly Deed[];
};

type HistoryNode = Rpc<GetSignaturesForAddressApi & GetTransactionApi>;

/** Transactions that are asked for side by side. */
const AT_ONCE = 8;

/**
 * What an employer's people have done, as far back as the node has it, newest first: of a treasury all that its members have signed, else what the
 * employer's key and its approvers have. Throws `Failure` history-incomplete.
 */
export async function readRoleHistory(
  ledgers: BaseConnection,
  employer: Address,
  treasury?: Treasury,
): Promise<RoleHistoryEntry[]> {
  const accounts = treasury === undefined ? [employer, ...(await approvalsOf(ledgers, employer))] : [treasury.multisig];
  const node = ledgers.base as HistoryNode;
  const lists = await Promise.all(accounts.map((account) => signaturesFor(node, account, 'confirmed')));
  const signed = new Map(lists.flat().flatMap((each) => (each.err === null ? [[each.signature, each.slot]] : [])));
  // Oldest first, those of a slot in the order in which the node has them: what is voted on was proposed before.
  const signatures = [...signed].reverse().sort(([, one], [, other]) => Number(one - other));
  const reader = new Reader(employer, treasury?.multisig);
  const entries: RoleHistoryEntry[] = [];
  for (let from = 0; from < signatures.length; from += AT_ONCE) {
    const some = signatures.slice(from, from + AT_ONCE).map(([signature]) => signature);
    const found = await Promise.all(some.map((signature) => transactionOf(node, signature)));
    for (const [place, signature] of some.entries()) {
      const entry = reader.read(signature, found[place] ?? null);
      if (entry !== undefined) entries.push(entry);
    }
  }
  return entries.reverse();
}

const transactionOf = (node: HistoryNode, signature: Signature) =>
  node
    .getTransaction(signature, { commitment: 'confirmed', encoding: 'base64', maxSupportedTransactionVersion: 0 })
    .send();
type Landed = Awaited<ReturnType<typeof transactionOf>>;

/** Reads transactions, oldest first. Anybody can name an account in a transaction of theirs: what counts is who signed. */
class Reader {
  /** Numbers of a treasury's transactions, by the accounts on which members vote. */
  readonly #numbers = new Map<Address, bigint>();
  /** Keys that act for an employer without a treasury: their own, and whoever they have made an approver. */
  readonly #own: Set<Address>;

  constructor(
    employer: Address,
    private readonly multisig: Address | undefined,
  ) {
    this.#own = new Set([employer]);
  }

  /** Undefined: nobody did anything by it that is told here. */
  read(signature: Signature, landed: Landed): RoleHistoryEntry | undefined {
    if (landed === null) {
      throw new Failure(
        'history-incomplete',
        'The node does not have the whole history. Name one that keeps it by --rpc.',
      );
    }
    const calls = callsOf(landed);
    const memberCalls = calls.instructions
      .flatMap((call) => readMemberCall(call) ?? [])
      .filter(({ multisig }) => multisig === this.multisig);
    const by = this.multisig === undefined ? calls.signers.find((key) => this.#own.has(key)) : memberCalls[0]?.member;
    if (by === undefined) return undefined;
    const deeds: Deed[] = memberCalls.flatMap(({ what, vote, number }) => {
      if (number !== undefined) this.#numbers.set(vote, number);
      const known = this.#numbers.get(vote);
      return what === undefined ? [] : [{ what, ...(known !== undefined && { number: known }) }];
    });
    const events = decodeEvents(landed.meta?.logMessages ?? []);
    for (const event of events) if (event.__kind === 'ApprovalSet') this.#own.add(event.approver);
    deeds.push(...events.map(deedOf));
    if (deeds.length === 0) return undefined;
    return { signature, at: landed.blockTime === null ? undefined : Number(landed.blockTime) * 1_000, by, deeds };
  }
}

/** Who has signed a transaction, and its calls with their accounts. */
function callsOf({ transaction: [wire], meta }: NonNullable<Landed>) {
  const { messageBytes } = getTransactionDecoder().decode(getBase64Encoder().encode(wire));
  const message = getCompiledTransactionMessageDecoder().decode(messageBytes);
  const { writable = [], readonly = [] } = meta?.loadedAddresses ?? {};
  const accounts: readonly Address[] = [...message.staticAccounts, ...writable, ...readonly];
  const at = (place: number): Address => accounts[place] as Address;
  // Clients of this ledger write none of the messages that have no list of calls.
  const instructions = ('instructions' in message ? message.instructions : []).map(
    ({ programAddressIndex, accountIndices = [], data }) => ({
      programAddress: at(programAddressIndex),
      accounts: accountIndices.map(at),
      data: data ?? new Uint8Array(0),
    }),
  );
  return { signers: accounts.slice(0, message.header.numSignerAccounts), instructions };
}

/** What an event of the ledger program says. */
function deedOf(event: PayoutEvent): Deed {
  const what = event.__kind.replaceAll(/(?!^)[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).toLowerCase();
  if (event.__kind === 'RoleSet') return { what, about: event.holder, role: givenRole(event.kind) ?? null };
  const about = ['approver', 'schedule', 'vault', 'mint'].flatMap((field) => (field in event ? [field] : []))[0];
  return about === undefined ? { what } : { what, about: (event as Record<string, unknown>)[about] as Address };
}
