import {
  drawReleaseTime,
  findTokenAddress,
  getCancelWithdrawalInstruction,
  getRedirectWithdrawalInstruction,
  getSetStandingOrderInstruction,
  type Ledgers,
  RELEASE_SECONDS,
  requestPartsInstructions,
  requestTransferInstruction,
  requestWithdrawalInstructions,
  type Time,
  TransactionFailed,
  tokensIn,
} from '@payouts/client';
import type { Address, MessagePartialSigner } from '@solana/kit';
import { TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import { located, type Own, personalOf, sendFor } from './acting.ts';
import { locateBalance, type OwnedBalance } from './balances.ts';

const POLL_MS = 25;
const DEADLINE_MS = 60_000;
const SLOW_POLL_MS = 5_000;

/** Base units in a private balance, on a layer that shows all of them; undefined while the recipient has none. */
export async function privateBalance(ledgers: Ledgers, balance: OwnedBalance): Promise<bigint | undefined> {
  return (await locateBalance(ledgers, balance))?.amount;
}

/** Base units that a wallet's associated token account holds on the base ledger; zero when there is none. */
export async function walletTokens(ledgers: Ledgers, wallet: Address, mint: Address): Promise<bigint> {
  const at = await findTokenAddress(wallet, mint, TOKEN_PROGRAM_ADDRESS);
  return tokensIn(ledgers.base, at);
}

/** When a withdrawal is to be released. */
export type Mixing = {
  /** Seconds from now within which the release is drawn, 90 days at most; 0, the default: at once. */
  readonly within?: number;
  /** Seconds between two release instants of the coordinator, 600 by default. */
  readonly releaseSeconds?: number;
};

/** A withdrawal of a private balance to a wallet. */
export type Withdrawal = Mixing & {
  readonly recipient: MessagePartialSigner;
  readonly balance: OwnedBalance;
  readonly wallet: Address;
  /** Base units, or everything that the balance holds when it is asked for. */
  readonly amount: bigint | 'all';
};

/** When a withdrawal asked for now is released: unix seconds, drawn; 0: at once. Throws ClientError for more than 90 days. */
function drawRelease(time: Time, { within = 0, releaseSeconds = RELEASE_SECONDS }: Mixing): bigint {
  if (within === 0) return 0n;
  const now = BigInt(Math.floor(time.now() / 1_000));
  return drawReleaseTime({ earliest: now, latest: now + BigInt(within), every: releaseSeconds });
}

/** A withdrawal of a balance that is under way, by its number among the balance's own; the last one by default. */
async function underWay(ledgers: Ledgers, own: Own, id: number | undefined) {
  const all = ((await personalOf(ledgers, own))?.withdrawals ?? []).filter(({ amount }) => amount !== 0n);
  const found = id === undefined ? all.sort((one, other) => other.id - one.id)[0] : all.find((each) => each.id === id);
  if (found === undefined) throw new TransactionFailed('NoWithdrawalPending', 'No such withdrawal is under way.', []);
  return found;
}

/**
 * Asks for a withdrawal, and doesn't wait for it: the coordinator releases and pays it.
 *
 * @returns unix seconds of its release; 0: at once
 * @throws TransactionFailed when the layer refuses, ClientError for a window of more than 90 days
 */
export async function requestWithdrawal(ledgers: Ledgers, input: Withdrawal): Promise<bigint> {
  const dueAt = drawRelease(ledgers.time, input);
  const { balance, wallet, amount } = input;
  const terms = { mint: balance.mint, wallet, amount, dueAt };
  await sendFor(ledgers, input, (acting) => requestWithdrawalInstructions({ ...acting, ...terms }));
  return dueAt;
}

/** A payment from a private balance to a payment code. */
export type Transfer = Own & {
  /** Base units. */
  readonly amount: bigint;
  readonly paymentCode: string;
};

/**
 * Asks for a private transfer by the layer alone, and doesn't wait for it: the coordinator makes it.
 *
 * @throws TransactionFailed when the layer refuses, ClientError for what is no payment code
 */
export async function requestTransfer(ledgers: Ledgers, input: Transfer): Promise<void> {
  const { amount, paymentCode } = input;
  await sendFor(ledgers, input, async (acting) => [requestTransferInstruction({ ...acting, amount, paymentCode })]);
}

/**
 * Asks for equal parts of so many base units, one to each wallet, which leave in a round with others' parts. `stands`: once the
 * balance has as much, each by itself.
 *
 * @throws TransactionFailed when the layer refuses: all or none are taken
 */
export async function requestParts(
  ledgers: Ledgers,
  input: Own & { readonly size: bigint; readonly wallets: readonly Address[]; readonly stands?: boolean },
): Promise<void> {
  const { size, wallets, stands = false } = input;
  const terms = { mint: input.balance.mint, size, wallets, stands };
  await sendFor(ledgers, input, (acting) => requestPartsInstructions({ ...acting, ...terms }));
}

/**
 * Releases a withdrawal that waits, the last one by default, at once: it is cancelled and asked for anew, by its owner alone, so nobody can
 * withhold its number. Whatever the layer's coordinator does, it is a withdrawal under way from then on.
 *
 * @throws TransactionFailed when no withdrawal is under way, or it has its number
 */
export async function releaseWithdrawal(ledgers: Ledgers, input: Own & { readonly id?: number }): Promise<void> {
  const { id, wallet, amount } = await underWay(ledgers, input, input.id);
  await cancelWithdrawal(ledgers, { ...input, id });
  await requestWithdrawal(ledgers, { ...input, wallet, amount });
}

/**
 * Takes money out of a private balance to a wallet, and waits until the base ledger shows it there and the layer has cleared the
 * withdrawal. The coordinator does what lies between.
 *
 * @returns base units that arrived
 * @throws TransactionFailed when the layer refuses or the money doesn't arrive within 60 s of its release
 */
export async function withdraw(ledgers: Ledgers, input: Withdrawal): Promise<bigint> {
  const before = await walletTokens(ledgers, input.wallet, input.balance.mint);
  const dueAt = await requestWithdrawal(ledgers, input);
  await withdrawalCleared(ledgers, input, dueAt);
  // The layer goes by what is confirmed; what has arrived is said when it is final.
  const deadline = ledgers.time.monotonic() + DEADLINE_MS;
  for (;;) {
    const arrived = (await walletTokens(ledgers, input.wallet, input.balance.mint)) - before;
    if (arrived > 0n) return arrived;
    if (ledgers.time.monotonic() > deadline) throw notArrived();
    await ledgers.time.pause(POLL_MS);
  }
}

const notArrived = () =>
  new TransactionFailed('not-arrived', 'The withdrawal has not arrived yet; it is issued again later.', []);

/**
 * Waits until no withdrawal of a balance is under way: the base ledger has paid it, and the layer knows.
 *
 * @param dueAt unix seconds of its release; by default it is released already
 * @throws TransactionFailed when that takes longer than 60 s from its release
 */
export async function withdrawalCleared(ledgers: Ledgers, own: Own, dueAt = 0n): Promise<void> {
  const wait = Number(dueAt) * 1_000 - ledgers.time.now();
  const deadline = ledgers.time.monotonic() + Math.max(0, wait) + DEADLINE_MS;
  // Whoever waits for days needn't ask 40 times a second.
  const pause = wait > DEADLINE_MS ? SLOW_POLL_MS : POLL_MS;
  const { reader } = await located(ledgers, own);
  const isUnderWay = async () => (await reader.personal())?.withdrawals.some(({ amount }) => amount !== 0n) === true;
  while (await isUnderWay()) {
    if (ledgers.time.monotonic() > deadline) throw notArrived();
    await ledgers.time.pause(pause);
  }
}

/** A withdrawal in parts that look like those of others. */
export type Parts = Omit<Withdrawal, 'wallet' | 'amount'> & {
  /** Base units of each: a round one that others use as well. */
  readonly part: bigint;
  /** How many at most; by default as many as the balance holds at the beginning. */
  readonly count?: number;
  /** Where each goes, counted from 0: a wallet that has received a part links it to all others that it receives. */
  readonly walletOf: (part: number) => Address | Promise<Address>;
};

/**
 * Takes money out of a private balance in equal parts, one after the other, each released at a time of its own; what is less than a
 * part stays. Waits for all: whoever can't sets a standing order with a part, which the coordinator carries out.
 *
 * @returns parts that arrived
 * @throws TransactionFailed when the layer refuses one, or it doesn't arrive within 60 s of its release; those before it have arrived
 */
export async function withdrawInParts(ledgers: Ledgers, input: Parts): Promise<number> {
  const { amount: held } = await (await located(ledgers, input)).reader.balance();
  const count = Math.min(input.count ?? Number.MAX_SAFE_INTEGER, input.part > 0n ? Number(held / input.part) : 0);
  for (let done = 0; done < count; done += 1) {
    await withdraw(ledgers, { ...input, wallet: await input.walletOf(done), amount: input.part });
  }
  return count;
}

/** A standing order: tokens go to a wallet whenever a balance reaches a threshold. */
export type StandingOrderInput = Own & {
  /** Base units; 0 ends the order. */
  readonly threshold: bigint;
  readonly wallet: Address;
  /** Base units of each withdrawal, at most the threshold; 0, the default: everything. What is less than the threshold stays. */
  readonly part?: bigint;
  /** Minutes between which the release of each withdrawal is drawn, 65,535 at most; by default at once. */
  readonly delayMin?: number;
  readonly delayMax?: number;
};

/** Sets a balance's standing order, in place of the one before. Throws TransactionFailed when the layer refuses it. */
export async function setStandingOrder(ledgers: Ledgers, input: StandingOrderInput): Promise<void> {
  const { recipient: _, balance: __, ...terms } = input;
  await sendFor(ledgers, input, ({ signer, personal }) => [
    getSetStandingOrderInstruction({ ...terms, signer, personal }),
  ]);
}

/**
 * Sends a withdrawal under way, the last one by default, to another wallet; it keeps its number, so it is paid once. The release of one
 * that waits stays as it was drawn unless `within` is given: then it is drawn anew, or at once for 0, so that a recipient who needs the
 * money can hurry it.
 *
 * @returns unix seconds of its release; 0: at once
 * @throws TransactionFailed when no withdrawal is under way, ClientError for a window of more than 90 days
 */
export async function redirectWithdrawal(
  ledgers: Ledgers,
  input: Mixing & Own & { readonly wallet: Address; readonly id?: number },
): Promise<bigint> {
  const { wallet, within } = input;
  const { id, number, dueAt: drawn } = await underWay(ledgers, input, input.id);
  const dueAt = within === undefined ? (number === 0n ? drawn : 0n) : drawRelease(ledgers.time, input);
  await sendFor(ledgers, input, ({ signer, personal }) => [
    getRedirectWithdrawalInstruction({ signer, personal, id, wallet, dueAt }),
  ]);
  return dueAt;
}

/**
 * Ends a withdrawal that waits for its release, the last one by default; the money never left the balance.
 *
 * @throws TransactionFailed when no withdrawal is under way, or it has its number
 */
export async function cancelWithdrawal(ledgers: Ledgers, input: Own & { readonly id?: number }): Promise<void> {
  const { id } = await underWay(ledgers, input, input.id);
  await sendFor(ledgers, input, ({ signer, personal }) => [getCancelWithdrawalInstruction({ signer, personal, id })]);
}
