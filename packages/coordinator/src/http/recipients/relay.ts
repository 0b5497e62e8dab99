import {
  addressFromBytes,
  BALANCE_PAGE_KIND,
  findCounterAddress,
  findPoolAddress,
  HASH_BYTES,
  type ProgramErrorName,
  recipientSentence,
  type Time,
} from '@payouts/client';
import type { Address } from '@solana/kit';
import { type ObservedPersonal, observedPersonal } from '../../balances/personal.ts';
import { Problem } from '../../domain/problems.ts';
import type { ExecutionLayer, LedgerAccount } from '../../ledger/ledger.ts';
import { programErrorName } from '../../ledger/programErrors.ts';
import { notTheirs } from './own.ts';
import type { BalanceUse, OwnTransaction } from './transaction.ts';

const MS_PER_SECOND = 1_000;
/** Where a page has its token. */
const PAGE_MINT_AT = 8;
/** Milliseconds that a transaction's end is waited for, and between two looks. */
const WITHIN_MS = 8_000;
const LOOK_MS = 10;

export type RelayInput = {
  readonly layer: ExecutionLayer;
  readonly program: Address;
  readonly time: Time;
  readonly draining: AbortSignal;
};

/**
 * Checks that the balance is the recipient's own who has authorised its use and its token's accounts are right. Throws `not-permitted`, in the same words for
 * one that is somebody else's and one that is nowhere, `invalid-transaction`, or `RunError` when the layer can't be read. Returns whose it is.
 */
export async function checkBalance({ layer, program, time }: RelayInput, { use }: OwnTransaction): Promise<Address> {
  const now = BigInt(Math.floor(time.now() / MS_PER_SECOND));
  const { accounts } = await layer.accounts([use.opens ? (use.page as Address) : use.personal]);
  const [account = null] = accounts;
  const { mint, recipient } = use.opens
    ? { mint: mintOfPage(account, program), recipient: use.recipient }
    : personalOf(account, use, { program, now });
  const deployment = { programAddress: program };
  const isRight =
    (use.counter === undefined || use.counter === (await findCounterAddress(mint, deployment))) &&
    (use.pool === undefined || use.pool === (await findPoolAddress(mint, deployment)));
  if (!isRight) {
    throw new Problem(
      'invalid-transaction',
      "An instruction names another token's counter or pool than its balance's.",
    );
  }
  return recipient;
}

/** A personal account that is the recipient's own, or that a wallet may recover; it names the page where the balance is. */
function personalOf(
  account: LedgerAccount | null,
  { recipient, by, page }: BalanceUse,
  { program, now }: { readonly program: Address; readonly now: bigint },
): ObservedPersonal {
  const personal = observedPersonal(account, program);
  if (personal === undefined) throw notTheirs();
  const whose = by === 'recipient' ? personal.recipient : personal.recovery(now).wallet;
  if (whose !== recipient || (page !== undefined && page !== personal.page)) throw notTheirs();
  return personal;
}

/** The token of a page. Whose a slot of it is the ledger finds by the opening that the recipient shows it. */
function mintOfPage(account: LedgerAccount | null, program: Address): Address {
  if (account?.owner !== program || account.data[0] !== BALANCE_PAGE_KIND) throw notTheirs();
  return addressFromBytes(account.data.subarray(PAGE_MINT_AT, PAGE_MINT_AT + HASH_BYTES));
}

/**
 * Has the layer execute a transaction, and waits for its end. The same bytes are executed once, however often they are sent. Throws
 * `transaction-refused`, `transaction-expired` or `transaction-unanswered`, or `RunError` when the layer can't be reached. False if it was
 * executed before.
 */
export async function relay(
  { layer, time, draining }: RelayInput,
  { wire, signature }: OwnTransaction,
): Promise<boolean> {
  const isExecuted = async () => {
    const [status] = await layer.statuses([signature]);
    if (!status) return false;
    if (status.err !== null) throw refused(programErrorName(status.err));
    return true;
  };
  if (await isExecuted()) return false;
  const answer = await layer.send(wire);
  if (answer.kind === 'refused') {
    if (answer.err === 'BlockhashNotFound') {
      throw new Problem('transaction-expired', 'The layer does not know its blockhash any more: sign it anew.');
    }
    throw refused(programErrorName(answer.err, answer.logs));
  }
  const deadline = time.now() + WITHIN_MS;
  while (time.now() < deadline && !draining.aborted) {
    if (await isExecuted()) return true;
    await time.pause(LOOK_MS, draining).catch(() => {});
  }
  throw new Problem('transaction-unanswered', 'The layer has not said what became of it: send the same bytes again.');
}

function refused(name: ProgramErrorName | undefined): Problem {
  if (name === undefined) return new Problem('transaction-refused', 'The execution layer has refused it.');
  return new Problem('transaction-refused', recipientSentence(name), { reason: name });
}
