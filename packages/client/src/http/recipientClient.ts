import type { Address, Blockhash, Instruction, MessagePartialSigner, Signature, TransactionSigner } from '@solana/kit';
import { fromHex } from '#platform';
import type { PersonalName } from '../accounts/addresses.ts';
import type { KnownRounds } from '../exits/crowd.ts';
import type { RelayTerms } from '../exits/relayedTransfer.ts';
import type { LeavingReason } from '../exits/rounds.ts';
import {
  getCancelWithdrawalInstruction,
  getCompleteRecoveryInstruction,
  getNameRecoveryInstruction,
  getRedirectWithdrawalInstruction,
  getRefuseRecoveryInstruction,
  getRequestRecoveryInstruction,
  getSetStandingOrderInstruction,
} from '../generated/index.ts';
import { ownerRecord, type PayoutDelivery } from '../merkle/owner.ts';
import { paymentCodeOf } from '../recipients/paymentCode.ts';
import { type ProvenBalance, proofFileFromJson } from '../recipients/proofFile.ts';
import { NO_APPROVER as NOBODY } from '../rules/approval.ts';
import { type Time, timeoutSignal } from '../time.ts';
import { buildTransaction, type SignedTransaction } from '../transactions/buildTransaction.ts';
import type { BalancePlace } from '../transactions/claimTransaction.ts';
import type { Ledgers } from '../transactions/connection.ts';
import {
  openPersonalInstruction,
  requestPartsInstructions,
  requestTransferInstruction,
  requestWithdrawalInstructions,
} from '../transactions/instructions.ts';
import { makePersonal } from '../transactions/makePersonal.ts';
import { sendToLayer, TransactionUnknown } from '../transactions/send.ts';
import { ApiFailed } from './apiFailed.ts';
import { actFor } from './authorisation.ts';
import { ClientError } from './clientError.ts';
import { signRequest, signRequestWithBody } from './httpSignature.ts';
import { historyFrom, type Plain, type PlainHistory, type RecipientHistory } from './recipientHistory.ts';
import { repeated } from './repeated.ts';

/** Milliseconds for an answer: the coordinator waits for the execution layer for some seconds. */
const TIMEOUT_MS = 30_000;
/** Milliseconds between two looks at a private transfer, and how long is looked. */
const LOOK_MS = 1_000;
const PAID_WITHIN_MS = 60_000;
const UNAVAILABLE = 503;
/** HTTP statuses from which on nobody says whether a transaction was passed on. */
const SERVER_ERROR = 500;
/** The media type of an answer that is encrypted for a session. */
const SEALED = 'application/jose';
const AT_ONCE = { least: 0, most: 0 };

/** A withdrawal that is under way; amounts in base units. */
export type WithdrawalUnderWay = {
  /** Among the balance's own. */
  readonly id: number;
  /** Null before its release. */
  readonly number: bigint | null;
  readonly amount: bigint;
  readonly wallet: Address;
  /** Waits for its release; asked for; known to the base ledger as owed; its payout on the way; paid there. */
  readonly state: 'waiting' | 'requested' | 'recorded' | 'issued' | 'paid';
  /** When it is released, unix milliseconds, in rounds: at the latest; null: it waits for no release. */
  readonly releaseAt: number | null;
  /** It waits for a round, in which it leaves with others. */
  readonly inRound: boolean;
};

/** A part that stands ready: it waits for a round as soon as the balance has as much; base units. */
export type StandingPart = Pick<WithdrawalUnderWay, 'id' | 'amount' | 'wallet'>;

/** A token's rounds, as anybody is shown them; amounts in base units, times in unix milliseconds. */
export type TokenRounds = Pick<KnownRounds, 'waiting'> & {
  readonly mint: Address;
  /** Of each part; null: nobody is paid in this token. */
  readonly size: bigint | null;
  readonly nextSize: { readonly size: bigint; readonly from: number } | null;
  readonly nextAt: number;
  /** When a part that is asked for now leaves at the latest, and when by the public calendars. */
  readonly latestAt: number;
  /** The same of those beyond the first six of a balance, which may leave in a later round. */
  readonly laterAt: number;
  readonly expected: { readonly at: number; readonly reason: LeavingReason };
  readonly recent: readonly (KnownRounds['recent'][number] & { readonly at: number })[];
  /** The round that follows the windows by which most people are paid next. */
  readonly largest: { readonly at: number; readonly recipients: number } | null;
};

/** A private transfer that waits to be made; the amount in base units. */
export type TransferUnderWay = {
  /** Among the balance's own, as those of withdrawals are. */
  readonly id: number;
  readonly amount: bigint;
  readonly paymentCode: string;
};

/** From which amount on tokens go out by themselves, and how; amounts in base units. */
export type StandingOrder = {
  readonly threshold: bigint;
  readonly wallet: Address;
  /** What goes out at a time; null: everything. */
  readonly part: bigint | null;
  /** Minutes between which the wait until the release is drawn. */
  readonly delayMinutes: { readonly least: number; readonly most: number };
};

/** Who may recover a balance; times in unix milliseconds. */
export type BalanceRecovery = {
  /** Null: nobody. */
  readonly wallet: Address | null;
  /** Takes the place of `wallet`, from then on and not while a recovery is under way; null: nothing changes. */
  readonly change: { readonly wallet: Address | null; readonly from: number } | null;
  /** From when on the recovery under way can be completed; null: there is none. */
  readonly completesAt: number | null;
};

/** A recipient's private balance; the amount in base units. */
export type RecipientBalance = {
  /** Who owns it, without saying it: 32 bytes in base 58. */
  readonly address: Address;
  readonly mint: Address;
  readonly symbol: string | null;
  readonly decimals: number;
  /** Where it is, in the execution layer; null: nothing was ever paid into it. */
  readonly place: BalancePlace | null;
  /** What makes its owner. Secret. */
  readonly salt: string;
  readonly delivery: PayoutDelivery;
  /** The account that holds what the recipient asks of it; null: there is none. */
  readonly personal: Address | null;
  /** Number of the last one, 0: there was none yet. */
  readonly personalNumber: number;
  /** What their addresses follow from, 16 bytes in hexadecimal; null: nothing was ever paid into it. Secret. */
  readonly personalKey: string | null;
  /** What can be taken out. */
  readonly amount: bigint;
  readonly withdrawals: readonly WithdrawalUnderWay[];
  readonly transfers: readonly TransferUnderWay[];
  readonly standing: readonly StandingPart[];
  readonly order: StandingOrder | null;
  /** Null: nobody may recover it. */
  readonly recovery: BalanceRecovery | null;
  /** Which schedules pay or have paid into it; none: it is the balance of a payment code. */
  readonly schedules: readonly Address[];
};

/** What is a recipient's, and what their transactions are built with. */
export type RecipientBalances = {
  readonly recipient: Address;
  readonly program: Address;
  readonly executionAuthority: Address;
  /** Whether the execution layer has read permissions. */
  readonly isPrivate: boolean;
  readonly blockhash: Blockhash;
  readonly lastValidBlockHeight: bigint;
  readonly balances: readonly RecipientBalance[];
};

/** The coordinator did not answer, or can't answer now. */
const isUnanswered = (error: unknown): boolean =>
  error instanceof ApiFailed && (error.status === undefined || error.status === UNAVAILABLE);

/** The same of a transaction, which may have been executed. */
const isOpen = (error: unknown): boolean =>
  isUnanswered(error) || (error instanceof ApiFailed && Number(error.status) >= SERVER_ERROR);

/** Which balance. */
type Of = Pick<RecipientBalance, 'address' | 'mint'>;

/** A session that the recipient's wallet has signed in: it signs requests, and opens answers that are encrypted for it. */
export type RecipientSession = {
  /** With a body it is a POST. */
  readonly headers: (url: URL, body?: string) => Promise<Record<string, string>>;
  readonly open: (sealed: string) => Promise<string>;
};

/** What an instruction about a balance needs to know. */
type Acting = {
  readonly signer: TransactionSigner;
  readonly personal: Address;
  readonly page: Address;
  readonly programAddress: Address;
};

/**
 * A recipient's own money through a coordinator's API: every request is signed by their key, every transaction built here and signed by a
 * key that they authorise for it, so they need no access to the execution layer. All functions throw `ApiFailed`, and those that change something
 * `TransactionUnknown`.
 */
export class RecipientClient {
  readonly #api: string;
  readonly #signer: MessagePartialSigner;
  readonly #session: RecipientSession | undefined;
  readonly #layer: Ledgers['layer'] | undefined;
  readonly #time: Time;

  /**
   * `layer`: where transactions are sent directly, past the coordinator; then they may throw `TransactionFailed` as well. `session`: reads in
   * the recipient's name, so that `signer` is asked to authorise what is done, and for nothing else.
   */
  constructor(input: {
    readonly apiUrl: string;
    readonly signer: MessagePartialSigner;
    readonly session?: RecipientSession | undefined;
    readonly layer?: Ledgers['layer'] | undefined;
    readonly time: Time;
  }) {
    this.#api = input.apiUrl.replace(/\/$/, '');
    this.#signer = input.signer;
    this.#session = input.session;
    this.#layer = input.layer;
    this.#time = input.time;
  }

  /** Balances over all lists of the coordinator in which the recipient stands. */
  async balances(): Promise<RecipientBalances> {
    const { lastValidBlockHeight, balances, ...rest } = await this.#read<PlainBalances>('balances');
    return {
      ...rest,
      lastValidBlockHeight: BigInt(lastValidBlockHeight),
      balances: balances.map(({ amount, withdrawals, transfers, standing, order, ...balance }) => ({
        ...balance,
        amount: BigInt(amount),
        transfers: transfers.map((transfer) => ({ ...transfer, amount: BigInt(transfer.amount) })),
        withdrawals: withdrawals.map((withdrawal) => ({
          ...withdrawal,
          number: withdrawal.number === null ? null : BigInt(withdrawal.number),
          amount: BigInt(withdrawal.amount),
        })),
        standing: standing.map((part) => ({ ...part, amount: BigInt(part.amount) })),
        order: order && {
          ...order,
          threshold: BigInt(order.threshold),
          part: order.part === null ? null : BigInt(order.part),
        },
      })),
    };
  }

  /** A token's rounds; it is asked for without the recipient's key. */
  async rounds(mint: Address): Promise<TokenRounds> {
    const ask = () => this.#ask<PlainRounds>(new URL(`${this.#api}/api/rounds/${mint}`), {});
    const { size, nextSize, ...rest } = await repeated(this.#time, ask, isUnanswered);
    return {
      ...rest,
      size: size === null ? null : BigInt(size),
      nextSize: nextSize && { ...nextSize, size: BigInt(nextSize.size) },
    };
  }

  /** Payments, withdrawals and private transfers, newest first; `limit` at most 100, 20 if not given. */
  async history(page: { readonly cursor?: string; readonly limit?: number } = {}): Promise<RecipientHistory> {
    const query = new URLSearchParams();
    if (page.cursor !== undefined) query.set('cursor', page.cursor);
    if (page.limit !== undefined) query.set('limit', String(page.limit));
    return historyFrom(await this.#read<PlainHistory>('history', query));
  }

  /**
   * Takes base units, or everything, out of a balance to a wallet, released at `dueAt` (unix seconds; at once by default). Done when the
   * execution layer has taken the request.
   */
  async withdraw(
    of: Of,
    terms: { readonly amount: bigint | 'all'; readonly wallet: Address; readonly dueAt?: bigint },
  ): Promise<Signature> {
    return this.#send(of, (acting) => requestWithdrawalInstructions({ ...acting, mint: of.mint, ...terms }));
  }

  /**
   * Takes equal parts of so many base units out of a balance, one to each wallet, which leave in a round with others' parts. With `stands` they
   * stand ready until the balance has as much, each by itself.
   */
  async withdrawInRound(
    of: Of,
    terms: { readonly size: bigint; readonly wallets: readonly Address[]; readonly stands?: boolean },
  ): Promise<Signature> {
    return this.#send(of, (acting) => requestPartsInstructions({ ...acting, mint: of.mint, ...terms }));
  }

  /**
   * The recipient's payment code of a token: the coordinator gives it a balance. Whoever has the code can pay to it, and can't tell whose it
   * is. Throws `INVALID_PAYMENT_CODE` if the coordinator names another owner's.
   */
  async paymentCode(mint: Address): Promise<string> {
    const url = new URL(`${this.#api}/api/recipients/me/payment-codes`);
    const body = JSON.stringify({ mint });
    const ask = async () => {
      const own = { signer: this.#signer, url, time: this.#time, body };
      const headers = await (this.#session?.headers(url, body) ?? signRequestWithBody(own));
      return this.#ask<{ paymentCode: string; salt: string }>(url, { method: 'POST', headers, body });
    };
    const { paymentCode, salt } = await repeated(this.#time, ask, isUnanswered);
    const { owner } = ownerRecord({ recipient: this.#signer.address, salt: fromHex(salt), delivery: 'balance' });
    if (paymentCode !== paymentCodeOf(owner)) {
      throw new ClientError('INVALID_PAYMENT_CODE', 'The coordinator has named a payment code that is not yours.');
    }
    return paymentCode;
  }

  /**
   * Pays base units from a balance to a payment code. Done when the execution layer has taken the request; the money moves when the coordinator
   * makes the transfer. Throws `INVALID_PAYMENT_CODE`.
   */
  async pay(of: Of, terms: { readonly amount: bigint; readonly paymentCode: string }): Promise<Signature> {
    return this.#send(of, (acting) => [requestTransferInstruction({ ...acting, ...terms })]);
  }

  /** Whether a code was paid: nothing of the recipient's for it waits any more, within a minute. */
  async isPaidTo(paymentCode: string): Promise<boolean> {
    const deadline = this.#time.monotonic() + PAID_WITHIN_MS;
    while (this.#time.monotonic() <= deadline) {
      const waiting = (await this.balances()).balances.flatMap(({ transfers }) => transfers);
      if (!waiting.some((transfer) => transfer.paymentCode === paymentCode)) return true;
      await this.#time.pause(LOOK_MS);
    }
    return false;
  }

  /**
   * Sends a withdrawal under way, by its number among the balance's own, to another wallet, or at another time (unix seconds; 0: at once); it
   * keeps its public number, so it is paid once. A part of a round can stay in it: `in-round`.
   */
  async redirect(of: Of, id: number, wallet: Address, release: bigint | 'in-round' = 0n): Promise<Signature> {
    const when = release === 'in-round' ? { dueAt: 0n, inRound: 1 } : { dueAt: release };
    return this.#send(of, ({ signer, personal, programAddress }) => [
      getRedirectWithdrawalInstruction({ signer, personal, id, wallet, ...when }, { programAddress }),
    ]);
  }

  /** Ends a withdrawal that waits for its release; the money stays in the balance. One that has its number is refused. */
  async cancel(of: Of, id: number): Promise<Signature> {
    return this.#send(of, ({ signer, personal, programAddress }) => [
      getCancelWithdrawalInstruction({ signer, personal, id }, { programAddress }),
    ]);
  }

  /** Has tokens go to a wallet whenever the balance reaches the threshold, in base units; a threshold of 0 ends the order. */
  async setOrder(of: Of, order: StandingOrder): Promise<Signature> {
    const { threshold, wallet, part, delayMinutes } = order;
    const terms = {
      threshold,
      wallet,
      part: part ?? 0n,
      delayMin: delayMinutes.least,
      delayMax: delayMinutes.most,
    };
    return this.#send(of, ({ signer, personal, programAddress }) => [
      getSetStandingOrderInstruction({ signer, personal, ...terms }, { programAddress }),
    ]);
  }

  /**
   * Names who may recover a balance, null: nobody. The first one is named at once, another one takes its place fourteen days later; naming the
   * present one again drops a change that waits.
   */
  async nameRecovery(of: Of, wallet: Address | null): Promise<Signature> {
    return this.#send(of, ({ signer, personal, programAddress }) => [
      getNameRecoveryInstruction({ signer, personal, wallet: wallet ?? NOBODY }, { programAddress }),
    ]);
  }

  /** Ends a recovery of a balance. */
  async refuseRecovery(of: Of): Promise<Signature> {
    return this.#send(of, ({ signer, personal, programAddress }) => [
      getRefuseRecoveryInstruction({ signer, personal }, { programAddress }),
    ]);
  }

  /** Asks for a balance, by its personal account, whose recovery wallet signs here; its owner has fourteen days to refuse. */
  async requestRecovery(personal: Address): Promise<Signature> {
    return this.#execute(personal, (signer, programAddress) => [
      getRequestRecoveryInstruction({ signer, personal }, { programAddress }),
    ]);
  }

  /**
   * Has a balance that was asked for go to a wallet, with what comes later: by a standing order, whose releases are drawn between these minutes
   * (at once by default).
   */
  async completeRecovery(
    personal: Address,
    wallet: Address,
    { least, most }: StandingOrder['delayMinutes'] = AT_ONCE,
  ): Promise<Signature> {
    const terms = { personal, wallet, delayMin: least, delayMax: most };
    return this.#execute(personal, (signer, programAddress) => [
      getCompleteRecoveryInstruction({ signer, ...terms }, { programAddress }),
    ]);
  }

  /** What proves what the recipient is owed, as the base ledger recorded it last: by it they are paid if the execution layer is lost. */
  async proofs(): Promise<ProvenBalance[]> {
    const { balances } = proofFileFromJson(await this.#read<unknown>('proofs'));
    return [...balances];
  }

  /**
   * Has a transaction executed that was signed before; the same bytes are executed once. Throws `TransactionUnknown` where nobody says what
   * became of them.
   */
  async submit({ wire, signature }: Pick<SignedTransaction, 'wire' | 'signature'>): Promise<Signature> {
    const ask = () => this.#post<{ signature: Signature }>('transactions', { transaction: wire });
    try {
      return (await repeated(this.#time, ask, isOpen)).signature;
    } catch (error) {
      if (!isOpen(error)) throw error;
      throw new TransactionUnknown(signature, 'Look at your balance and your history before you do it again.');
    }
  }

  /** What transfers from fresh wallets are paid by; undefined: this coordinator pays none. The request is not signed. */
  async relayTerms(): Promise<RelayTerms | undefined> {
    const { relay } = await this.#ask<{ relay: Plain<RelayTerms> | null }>(new URL(`${this.#api}/api/deployment`), {});
    return relay === null ? undefined : { ...relay, computeUnitPrice: BigInt(relay.computeUnitPrice) };
  }

  /** Has the fee of a transfer paid that `buildRelayedTransfer` has made, and it confirmed. The request says nothing of who asks. */
  async relay(transaction: string): Promise<Signature> {
    const ask = () => this.#post<{ signature: Signature }>('relayed-transfers', { transaction });
    try {
      return (await repeated(this.#time, ask, isOpen)).signature;
    } catch (cause) {
      if (!isOpen(cause)) throw cause;
      const message =
        'The coordinator has not said whether the transfer was made. Look at both wallets before you make it again.';
      throw new ApiFailed(message, { code: 'transfer-unknown', cause });
    }
  }

  /** Has something done with a balance; the account that it takes is made first, where there is none. */
  async #send(
    of: Of,
    build: (acting: Acting) => readonly Instruction[] | Promise<readonly Instruction[]>,
  ): Promise<Signature> {
    for (let tries = 1; ; tries++) {
      const { personal, act } = await this.#opened(of);
      try {
        return await act(build);
      } catch (error) {
        // It may have been done: nothing is done a second time.
        if (error instanceof TransactionUnknown) throw error;
        // The coordinator closes an account of which nothing is left: it may have done so just now.
        const isClosed = tries === 1 && personal !== null && (await this.#balanceOf(of)).own.personal === null;
        if (!isClosed) throw error;
      }
    }
  }

  /** A balance's account as it was found, null: there was none; and how something is done by it, or by the one that was made then. */
  async #opened(of: Of) {
    const { own, program: programAddress, executionAuthority, isPrivate } = await this.#balanceOf(of);
    const { place, mint, delivery, salt, personalNumber, personalKey } = own;
    if (place === null || personalKey === null)
      throw new ApiFailed('Nothing was ever paid into this balance.', { code: 'balance-missing' });
    const { page } = place;
    const owned = { ...place, mint, delivery, recipient: this.#signer.address, salt: fromHex(salt) };
    const make = (personal: PersonalName) => {
      const opening = { balance: owned, personal, executionAuthority, isPrivate, programAddress };
      return this.#execute(personal.address, async (signer) => [await openPersonalInstruction({ ...opening, signer })]);
    };
    const next = { mint, personalNumber, personalKey: fromHex(personalKey) };
    const personal = own.personal ?? (await makePersonal(next, make, { programAddress }));
    const act = (build: (acting: Acting) => readonly Instruction[] | Promise<readonly Instruction[]>) =>
      this.#execute(personal, (signer) => build({ signer, personal, page, programAddress }));
    return { personal: own.personal, act };
  }

  async #balanceOf({ address, mint }: Of): Promise<RecipientBalances & { readonly own: RecipientBalance }> {
    const all = await this.balances();
    const own = all.balances.find((each) => each.address === address && each.mint === mint);
    if (own === undefined) throw new ApiFailed('You have no such balance.', { code: 'balance-missing' });
    return { ...all, own };
  }

  async #execute(
    personal: Address,
    build: (signer: TransactionSigner, program: Address) => readonly Instruction[] | Promise<readonly Instruction[]>,
  ): Promise<Signature> {
    const { program: programAddress, blockhash, lastValidBlockHeight } = await this.balances();
    const acting = { personal, programAddress, time: this.#time };
    const { instructions, feePayer } = await actFor(this.#signer, acting, (signer) => build(signer, programAddress));
    if (this.#layer !== undefined) return sendToLayer({ layer: this.#layer, time: this.#time }, instructions, feePayer);
    return this.submit(
      await buildTransaction({ feePayer, instructions, lifetime: { blockhash, lastValidBlockHeight } }),
    );
  }

  async #read<T>(what: 'balances' | 'history' | 'proofs', query = new URLSearchParams()): Promise<T> {
    // `me`, so that no address stands in a path that others log.
    const url = new URL(`${this.#api}/api/recipients/me/${what}`);
    url.search = query.toString();
    const signed = () => this.#session?.headers(url) ?? signRequest({ signer: this.#signer, url, time: this.#time });
    const ask = async () => this.#ask<T>(url, { headers: await signed() });
    return repeated(this.#time, ask, isUnanswered);
  }

  #post<T>(what: string, body: object): Promise<T> {
    const headers = { 'content-type': 'application/json' };
    return this.#ask<T>(new URL(`${this.#api}/api/${what}`), { method: 'POST', headers, body: JSON.stringify(body) });
  }

  async #ask<T>(url: URL, init: RequestInit): Promise<T> {
    let response: Response;
    let body: unknown;
    try {
      response = await fetch(url, { ...init, signal: timeoutSignal(this.#time, TIMEOUT_MS) });
      const isSealed = response.headers.get('content-type')?.startsWith(SEALED) === true;
      const session = isSealed ? this.#session : undefined;
      body = session === undefined ? await response.json() : JSON.parse(await session.open(await response.text()));
    } catch (cause) {
      throw new ApiFailed(`The coordinator at ${url.origin} does not answer.`, { code: 'unreachable', cause });
    }
    if (response.ok) return body as T;
    const { code = 'unknown', detail = `HTTP ${response.status}`, reason } = body as Record<string, string | undefined>;
    throw new ApiFailed(detail, { code, status: response.status, reason });
  }
}

type PlainBalance = Omit<Plain<RecipientBalance>, 'withdrawals' | 'transfers' | 'standing' | 'order'> & {
  readonly withdrawals: readonly Plain<WithdrawalUnderWay>[];
  readonly transfers: readonly Plain<TransferUnderWay>[];
  readonly standing: readonly Plain<StandingPart>[];
  readonly order: Plain<StandingOrder> | null;
};
type PlainBalances = Omit<Plain<RecipientBalances>, 'balances'> & { readonly balances: readonly PlainBalance[] };
type PlainRounds = Omit<TokenRounds, 'size' | 'nextSize'> & {
  readonly size: string | null;
  readonly nextSize: { readonly size: string; readonly from: number } | null;
};
