import {
  findSponsorAddress,
  findTokenAddress,
  followTransaction,
  RELAYED_TRANSFERS,
  type RelayTerms,
  type SignedBytes,
  type Time,
} from '@payouts/client';
import {
  type Address,
  getBase64EncodedWireTransaction,
  getSignatureFromTransaction,
  type Signature,
  type Transaction,
  type TransactionPartialSigner,
} from '@solana/kit';
import { isUnreachable } from '../domain/errors.ts';
import { Problem } from '../domain/problems.ts';
import { invalidTransaction } from '../http/canonicalTransaction.ts';
import type { FeeBidder } from '../ledger/feeBidder.ts';
import type { BaseLedger } from '../ledger/ledger.ts';
import { tokensIn } from '../ledger/tokenAccount.ts';
import type { Logger } from '../platform/log/log.ts';
import {
  forgetRelayed,
  noteRelayed,
  relayedLanded,
  unlandedOf,
  type WalletOfToken,
} from '../store/queries/paidWallets.ts';
import type { Db } from '../store/schema.ts';
import { readWalletTransfer, type WalletTransfer } from './walletTransfer.ts';

/** What a transfer and the closing of an account use at most, in compute units. */
const COMPUTE_UNITS = 60_000;
/** A price may be so many times the present one, which another process may have named; what this one has named holds for so many milliseconds. */
const PRICE_MARGIN = 2n;
const OFFER_MS = 120_000;
/** Lamports of two signatures, and what the fee's payer must keep: the rent of an account without data. */
const SIGNATURES_FEE = 10_000n;
const LEAST_KEPT = 890_880n;
/** Milliseconds that a transfer's end is waited for. */
const WITHIN_MS = 20_000;
/** Blocks for which nodes may be behind each other. */
const EXPIRY_MARGIN = 5n;

/** What the API needs of it. */
export type FeePayer = Pick<FeeRelay, 'terms' | 'carry'>;

export type FeeRelayInput = {
  readonly signer: TransactionPartialSigner;
  readonly base: BaseLedger;
  readonly fees: Pick<FeeBidder, 'price'>;
  readonly database: Db;
  readonly program: Address;
  readonly time: Time;
  readonly draining: AbortSignal;
  readonly log: Logger;
};

/**
 * Pays the fees of the first transfers from wallets that a payout has arrived in, so that nobody sends them SOL from a wallet with a name. All
 * are paid alike, by one account and at one price, and to whom it pays follows from the base ledger alone: nobody says who they are.
 */
export class FeeRelay {
  /** Prices that were named, and when last. */
  readonly #offers = new Map<bigint, number>();

  constructor(private readonly input: FeeRelayInput) {}

  get address(): Address {
    return this.input.signer.address;
  }

  /** Throws `RunError` when the ledger can't be asked what others pay. */
  async terms(): Promise<RelayTerms> {
    const { fees, time } = this.input;
    const computeUnitPrice = roundedUp(await fees.price());
    this.#offers.set(computeUnitPrice, time.monotonic());
    return { payer: this.address, computeUnitPrice, computeUnitLimit: COMPUTE_UNITS };
  }

  /**
   * Pays for a transfer, in base 64, and waits until it is confirmed. The same bytes are executed once, however often they are given. Throws
   * `invalid-transaction`, `not-permitted`, `relay-empty`, `transaction-refused`, `transaction-expired` or `transaction-unanswered`, or
   * `RunError` when the ledger can't be reached.
   */
  async carry(text: string): Promise<Signature> {
    const transfer = readWalletTransfer(text, this.address);
    await this.#check(transfer);
    const { base, database, signer } = this.input;
    const { lastValidBlockHeight } = await base.lifetime();
    const signed = await signedBy(signer, transfer);
    const row = { signature: signed.signature, last_valid_block_height: String(lastValidBlockHeight) };
    const note = () => noteRelayed(database, transfer, row, RELAYED_TRANSFERS);
    let noted = await note();
    if (noted === 'too-many' && (await this.#forgetExpired(transfer))) noted = await note();
    if (noted === 'too-many') {
      throw new Problem(
        'not-permitted',
        `The relay pays for ${RELAYED_TRANSFERS} transfers of a wallet that a payout has arrived in. This one has had them, or got no payout: it needs SOL of its own.`,
      );
    }
    await this.#follow({ ...signed, lastValidBlockHeight, isNew: noted === 'noted' });
    return signed.signature;
  }

  /** Checks it against the ledger: its price, whose accounts they are, and that rent which was lent comes back. */
  async #check(transfer: WalletTransfer): Promise<void> {
    const { base, program } = this.input;
    const { mint, wallet, source, destination, amount, closesTo, computeUnitLimit, computeUnitPrice } = transfer;
    if (computeUnitLimit > COMPUTE_UNITS || computeUnitPrice > (await this.#highestPrice())) {
      throw invalidTransaction('It costs more than the relay pays: build it with what GET /api/deployment says now');
    }
    if (source !== (await findTokenAddress(wallet, mint, transfer.program))) {
      throw invalidTransaction("It takes from another account than the wallet's own of the token");
    }
    const { accounts } = await base.accounts([source, destination, this.address], 'confirmed');
    const [from, to, payer] = accounts;
    const token = { mint, tokenProgram: transfer.program };
    const held = tokensIn(from, token);
    if (held === undefined || held.owner !== wallet || held.amount < amount || amount === 0n) {
      throw new Problem('transaction-refused', 'The wallet does not have that many tokens.');
    }
    if (source === destination || tokensIn(to, token) === undefined) {
      throw new Problem('transaction-refused', 'There is no other account of this token at the destination.');
    }
    const sponsor = await findSponsorAddress(mint, { programAddress: program });
    if (held.amount === amount ? closesTo !== sponsor : closesTo !== undefined) {
      throw invalidTransaction(
        'What empties the account must close it for the sponsor of the token, and nothing else may',
      );
    }
    if ((payer?.lamports ?? 0n) < SIGNATURES_FEE + LEAST_KEPT) {
      this.input.log.warn({ relay: this.address }, 'the relay has no SOL left: send it some');
      throw new Problem(
        'relay-empty',
        'The relay has no SOL now. Try again later, or send the wallet some of your own.',
      );
    }
  }

  async #highestPrice(): Promise<bigint> {
    const { computeUnitPrice } = await this.terms();
    let highest = computeUnitPrice * PRICE_MARGIN;
    const now = this.input.time.monotonic();
    for (const [price, at] of this.#offers) {
      if (now - at > OFFER_MS) this.#offers.delete(price);
      else if (price > highest) highest = price;
    }
    return highest;
  }

  async #follow(bytes: SignedBytes): Promise<void> {
    const { base, time, draining, database } = this.input;
    const end = await followTransaction(
      { ledger: base, time, commitment: 'confirmed', signal: draining, withinMs: WITHIN_MS, isOpen: isUnreachable },
      bytes,
    );
    switch (end.kind) {
      case 'landed':
        return relayedLanded(database, bytes.signature);
      case 'failed':
        await relayedLanded(database, bytes.signature);
        throw new Problem('transaction-refused', 'The ledger has executed it, and it failed.');
      case 'expired':
        await forgetRelayed(database, bytes.signature);
        throw new Problem('transaction-expired', 'It did not reach the ledger in time: sign it anew.');
      case 'refused':
        if (!end.wasOut) await forgetRelayed(database, bytes.signature);
        throw end.err === 'BlockhashNotFound'
          ? new Problem('transaction-expired', 'The ledger does not know its blockhash any more: sign it anew.')
          : new Problem('transaction-refused', 'The ledger has refused it.');
      case 'unknown':
        throw new Problem(
          'transaction-unanswered',
          'The ledger has not said what became of it: send the same bytes again.',
        );
    }
  }

  /** Forgets transfers of a wallet that can't land any more; whether there was one. */
  async #forgetExpired(of: WalletOfToken): Promise<boolean> {
    const { base, database } = this.input;
    const rows = await unlandedOf(database, of);
    if (rows.length === 0) return false;
    const height = await base.blockHeight();
    const statuses = await base.statuses(rows.map(({ signature }) => signature as Signature));
    let hasRoom = false;
    for (const [place, { signature, last_valid_block_height }] of rows.entries()) {
      if (statuses[place]) await relayedLanded(database, signature);
      else if (height > BigInt(last_valid_block_height) + EXPIRY_MARGIN) {
        await forgetRelayed(database, signature);
        hasRoom = true;
      }
    }
    return hasRoom;
  }
}

async function signedBy(signer: TransactionPartialSigner, { messageBytes, signatures }: WalletTransfer) {
  const unsigned = { messageBytes, signatures } as Transaction;
  const [added] = await signer.signTransactions([unsigned as never]);
  const transaction = { messageBytes, signatures: { ...signatures, ...added } } as Transaction;
  return { wire: getBase64EncodedWireTransaction(transaction), signature: getSignatureFromTransaction(transaction) };
}

/** The next of 0, 1, 2, 5, 10, 20 … : what is paid is the same for all who ask at about the same time. */
function roundedUp(price: bigint): bigint {
  if (price === 0n) return 0n;
  for (let unit = 1n; ; unit *= 10n) {
    for (const step of [1n, 2n, 5n]) if (step * unit >= price) return step * unit;
  }
}
