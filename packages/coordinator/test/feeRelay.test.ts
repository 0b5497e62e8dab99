import {
  addressToBytes,
  buildRelayedTransfer,
  findSponsorAddress,
  findTokenAddress,
  PAYOUT_LEDGER_PROGRAM_ADDRESS as program,
  RELAYED_TRANSFERS,
  type RelayedTransfer,
  TOKEN_PROGRAM_ADDRESS,
} from '@payouts/client';
import { manualTime } from '@payouts/testing/manualTime';
import {
  type Address,
  type Blockhash,
  generateKeyPairSigner,
  getBase64Encoder,
  getTransactionDecoder,
  type KeyPairSigner,
} from '@solana/kit';
import fc from 'fast-check';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { FeeRelay } from '../src/feeRelay/feeRelay.ts';
import { readWalletTransfer } from '../src/feeRelay/walletTransfer.ts';
import type { BaseLedger, LedgerAccount } from '../src/ledger/ledger.ts';
import { addPaidWallets } from '../src/store/queries/paidWallets.ts';
import { keptLog } from './support/log.ts';
import { randomAddress } from './support/promised.ts';
import { useStore } from './support/stores.ts';

const PRICE = 1_500n;
const UNITS = 60_000;
const BLOCKHASH = '4vJ9JU1bJJE96FWSJKvHsmmFADCg4gpZQff4P3bkLKi' as Blockhash;
const store = useStore();

let relay: KeyPairSigner;
let wallet: KeyPairSigner;
let mint: Address;
let source: Address;
const destination = randomAddress();
/** What the ledger has, and what it was sent. */
let accounts: Map<Address, LedgerAccount>;
let sent: string[];
let isLanding: boolean;
let height: bigint;
const time = manualTime(1_800_000_000_000);

beforeAll(async () => {
  relay = await generateKeyPairSigner();
});
beforeEach(async () => {
  [wallet, mint, sent, isLanding, height] = [await generateKeyPairSigner(), randomAddress(), [], true, 100n];
  source = await findTokenAddress(wallet.address, mint);
  accounts = new Map();
  hold(source, wallet.address, 500n);
  hold(destination, randomAddress(), 0n);
  accounts.set(relay.address, { address: relay.address, owner: program, lamports: 10n ** 9n, data: new Uint8Array(0) });
});

function hold(address: Address, owner: Address, amount: bigint, of = mint): void {
  const data = Buffer.alloc(165);
  data.set(addressToBytes(of), 0);
  data.set(addressToBytes(owner), 32);
  data.writeBigUInt64LE(amount, 64);
  accounts.set(address, { address, owner: TOKEN_PROGRAM_ADDRESS, lamports: 2_039_280n, data });
}

/** A base ledger that executes what it is sent, or loses it. */
const base = {
  name: 'base',
  accounts: async (addresses: readonly Address[]) => ({
    slot: 1n,
    accounts: addresses.map((address) => accounts.get(address) ?? null),
  }),
  lifetime: async () => ({ blockhash: BLOCKHASH, lastValidBlockHeight: height + 150n }),
  blockHeight: async () => height,
  send: async (wire: string) => {
    sent.push(wire);
    if (!isLanding) height += 200n;
    return { kind: 'taken' } as const;
  },
  statuses: async (signatures: readonly string[]) =>
    signatures.map(() => (isLanding && sent.length > 0 ? { err: null, commitment: 'confirmed' } : null)),
} as unknown as BaseLedger;

const feeRelay = () =>
  new FeeRelay({
    signer: relay,
    base,
    fees: { price: async () => PRICE },
    database: store.query,
    program,
    time,
    draining: new AbortController().signal,
    log: keptLog(time).log,
  });

const carry = (text: string) => time.during(feeRelay().carry(text));

const transfer = (fields: Partial<RelayedTransfer> = {}): Promise<string> =>
  buildRelayedTransfer({
    wallet,
    token: { mint, decimals: 6, program: TOKEN_PROGRAM_ADDRESS },
    amount: 120n,
    holds: 500n,
    destination,
    terms: { payer: relay.address, computeUnitPrice: 2_000n, computeUnitLimit: UNITS },
    blockhash: BLOCKHASH,
    ...fields,
  });
let number = 0n;
const paid = (amount = 1) =>
  addPaidWallets(
    store.query,
    Array.from({ length: amount }, () => ({ mint, number: ++number, wallet: wallet.address, at: 1 })),
  );
const codeOf = (carried: Promise<unknown>) =>
  carried.then(
    () => 'carried',
    ({ code }: { readonly code?: string }) => code,
  );

describe('a transfer from a wallet', () => {
  it('is read as the client writes it, with and without the closing', async () => {
    for (const [holds, closesTo] of [
      [500n, undefined],
      [120n, await findSponsorAddress(mint)],
    ] as const) {
      const written = readWalletTransfer(await transfer({ holds }), relay.address);
      expect(written).toMatchObject({ wallet: wallet.address, mint, source, destination, amount: 120n, closesTo });
      expect(written).toMatchObject({ computeUnitLimit: UNITS, computeUnitPrice: 2_000n });
    }
  });

  it('is refused with any other byte, wherever it lies in memory', async () => {
    const bytes = getBase64Encoder().encode(await transfer({ holds: 120n }));
    // The place of the relay's signature, which is not there yet, says nothing.
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 65, max: bytes.length - 1 }),
        fc.integer({ min: 1, max: 255 }),
        async (at, change) => {
          const changed = Uint8Array.from(bytes);
          changed[at] = (changed[at] as number) ^ change;
          expect(() => readWalletTransfer(Buffer.from(changed).toString('base64'), relay.address)).toThrow(
            expect.objectContaining({ code: 'invalid-transaction' }),
          );
        },
      ),
      { numRuns: 100 },
    );
  });

  it('is refused where the relay would do more than pay', async () => {
    const other = await generateKeyPairSigner();
    const read = (text: string) => () => readWalletTransfer(text, relay.address);
    const terms = { payer: other.address, computeUnitPrice: 0n, computeUnitLimit: UNITS };
    expect(read(await transfer({ terms }))).toThrow('two signers');
    expect(read(await transfer({ destination: relay.address }))).toThrow('nothing in it but pay');
  });
});

describe('the relay', () => {
  it('pays for three transfers of each payout, and signs nothing else', async () => {
    expect(await codeOf(carry(await transfer()))).toBe('not-permitted');
    await paid();
    for (let amount = 1n; amount <= BigInt(RELAYED_TRANSFERS); amount++) await carry(await transfer({ amount }));
    expect(await codeOf(carry(await transfer({ amount: 9n })))).toBe('not-permitted');
    expect(sent).toHaveLength(RELAYED_TRANSFERS);
    const { signatures } = getTransactionDecoder().decode(getBase64Encoder().encode(sent[0] as string));
    expect(Object.keys(signatures)).toEqual([relay.address, wallet.address]);
    expect(Object.values(signatures)).not.toContain(null);
    await paid();
    await carry(await transfer({ amount: 9n }));
  });

  it('pays once for the same bytes, however often they come', async () => {
    await paid();
    const bytes = await transfer();
    const signatures = [await carry(bytes), await carry(bytes)];
    expect(new Set(signatures).size).toBe(1);
    for (const amount of [1n, 2n]) await carry(await transfer({ amount }));
    expect(await codeOf(carry(await transfer({ amount: 3n })))).toBe('not-permitted');
  });

  it('does not pay for more when many come at once', async () => {
    await paid();
    const texts = await Promise.all(Array.from({ length: 12 }, (_, place) => transfer({ amount: BigInt(place + 1) })));
    const paying = feeRelay();
    const all = await time.during(Promise.all(texts.map((text) => codeOf(paying.carry(text)))));
    expect(all.filter((code) => code === 'carried')).toHaveLength(RELAYED_TRANSFERS);
  });

  it('counts no transfer that never reached the ledger', async () => {
    await paid();
    isLanding = false;
    for (const amount of [1n, 2n, 3n]) {
      expect(await codeOf(carry(await transfer({ amount })))).toBe('transaction-expired');
    }
    isLanding = true;
    await carry(await transfer());
  });

  it.each([
    [
      'more than it pays',
      () => ({ terms: { payer: relay.address, computeUnitPrice: 4_001n, computeUnitLimit: UNITS } }),
      'invalid-transaction',
    ],
    [
      'a higher limit',
      () => ({ terms: { payer: relay.address, computeUnitPrice: 1n, computeUnitLimit: UNITS + 1 } }),
      'invalid-transaction',
    ],
    ['what leaves an empty account open', () => ({ amount: 500n, holds: 501n }), 'invalid-transaction'],
    ['what closes an account that is not empty', () => ({ amount: 120n, holds: 120n }), 'invalid-transaction'],
    ['more than the wallet has', () => ({ amount: 501n, holds: 900n }), 'transaction-refused'],
    ['nothing', () => ({ amount: 0n }), 'transaction-refused'],
    ['a destination that is not there', () => ({ destination: randomAddress() }), 'transaction-refused'],
    ['its own account as the destination', () => ({ destination: source }), 'transaction-refused'],
  ])('refuses %s', async (_, fields, code) => {
    await paid();
    expect(await codeOf(carry(await transfer(fields())))).toBe(code);
    expect(sent).toEqual([]);
  });

  it('refuses an account of another token, and says when it has no SOL', async () => {
    await paid();
    hold(destination, randomAddress(), 0n, randomAddress());
    expect(await codeOf(carry(await transfer()))).toBe('transaction-refused');
    hold(destination, randomAddress(), 0n);
    accounts.set(relay.address, {
      address: relay.address,
      owner: program,
      lamports: 900_000n,
      data: new Uint8Array(0),
    });
    expect(await codeOf(carry(await transfer()))).toBe('relay-empty');
  });
});
