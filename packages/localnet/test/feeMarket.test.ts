import {
  type Address,
  appendTransactionMessageInstructions,
  type Blockhash,
  createTransactionMessage,
  generateKeyPairSigner,
  getTransactionEncoder,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
} from '@solana/kit';
import { getTransferSolInstruction } from '@solana-program/system';
import { beforeEach, expect, it } from 'vitest';
import { COMPUTE_BUDGET_PROGRAM, SYSTEM_PROGRAM } from '../src/addresses.ts';
import { manualLedger } from './manualLedger.ts';

const BASE = 1_000;
let market: Awaited<ReturnType<typeof manualLedger>>;
let address: Address;

beforeEach(async () => {
  market = await manualLedger();
  await market.ask('localnet_setHabits', { baseBid: BASE, loadSends: 10, landMs: 600 });
  ({ address } = await generateKeyPairSigner());
  return () => market.ledger.close();
});

/** Sends a transfer with a bid from a wallet of its own. */
async function send(destination: Address, bid: number): Promise<string> {
  const source = await generateKeyPairSigner();
  market.ledger.setAccount({
    address: source.address,
    lamports: 1_000_000_000n,
    owner: SYSTEM_PROGRAM,
    data: new Uint8Array(),
    executable: false,
  });
  const price = Buffer.alloc(9, 3);
  price.writeBigUInt64LE(BigInt(bid), 1);
  const blockhash = market.ledger.blockhashes.latest as Blockhash;
  const signed = await signTransactionMessageWithSigners(
    pipe(
      createTransactionMessage({ version: 0 }),
      (message) => setTransactionMessageFeePayerSigner(source, message),
      (message) => setTransactionMessageLifetimeUsingBlockhash({ blockhash, lastValidBlockHeight: 0n }, message),
      (message) =>
        appendTransactionMessageInstructions(
          [
            { programAddress: COMPUTE_BUDGET_PROGRAM, data: price },
            getTransferSolInstruction({ source, destination, amount: 5_000_000n }),
          ],
          message,
        ),
    ),
  );
  return market.sendWire(new Uint8Array(getTransactionEncoder().encode(signed)));
}

/** Whether a transfer with a bid lands. */
async function lands(bid: number): Promise<boolean> {
  const signature = await send(address, bid);
  await market.time.advance(1_000);
  const { value } = await market.ask('getSignatureStatuses', [signature]);
  return value[0] !== null;
}

const bids = async (...accounts: readonly Address[]): Promise<number[]> =>
  (await market.ask('getRecentPrioritizationFees', accounts)).map(
    ({ prioritizationFee }: { prioritizationFee: number }) => prioritizationFee,
  );

it('drops without a word what bids less than is needed when it lands', async () => {
  expect(await lands(0)).toBe(false);
  expect(await lands(BASE - 1)).toBe(false);
  expect(await lands(BASE)).toBe(true);
});

it('asks for more under load, until it is over', async () => {
  for (let sent = 0; sent < 30; sent++) await send((await generateKeyPairSigner()).address, 0);
  expect(await lands(3 * BASE)).toBe(false);
  await market.time.advance(1_000);
  expect(await lands(BASE)).toBe(true);
});

it('tells the bids of recent blocks, for the accounts that are to be written', async () => {
  await market.time.advance(1_200);
  // The one of the moment in which bids were asked for, and one of each block since.
  expect(await bids()).toEqual([BASE, BASE, BASE, BASE]);
  // A fifth of what is load for all is load for one account.
  for (let sent = 0; sent < 8; sent++) await send(address, BASE);
  await market.time.advance(400);
  const other = (await generateKeyPairSigner()).address;
  expect((await bids()).at(-1)).toBe(BASE);
  expect((await bids(other)).at(-1)).toBe(BASE);
  expect((await bids(other, address)).at(-1)).toBe(4 * BASE);
  await market.time.advance(1_200);
  expect((await bids(address)).at(-1)).toBe(BASE);
  await market.time.advance(150 * 400);
  expect(await bids(address)).toEqual(Array(150).fill(BASE));
});

it('is none where no bid is needed', async () => {
  await market.ask('localnet_setHabits', {});
  await market.time.advance(400);
  expect(await bids(address)).toEqual([0]);
  expect(await lands(0)).toBe(true);
});
