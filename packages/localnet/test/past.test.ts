import { generateKeyPairSigner } from '@solana/kit';
import { expect, it } from 'vitest';
import { CLOCK_SYSVAR } from '../src/addresses.ts';
import { SLOT_MILLISECONDS } from '../src/baseLedger/ledger.ts';
import { manualLedger } from './manualLedger.ts';

const LANDING = 600;
const FINALITY = 12_800;

/** A ledger with a cluster's latency, whose blocks are made as its time goes on. */
async function slowLedger() {
  const slow = await manualLedger();
  await slow.ask('localnet_setHabits', { landMs: LANDING, finalMs: FINALITY });
  return slow;
}

it('lands a transaction and makes it final as late as a cluster does', async () => {
  const { time, ledger, ask, send } = await slowLedger();
  const { address } = await generateKeyPairSigner();
  const balance = async (commitment: string) => (await ask('getBalance', address, { commitment })).value;
  const status = async () => (await ask('getSignatureStatuses', [signature])).value[0]?.confirmationStatus;
  const final = { commitment: 'finalized', maxSupportedTransactionVersion: 0 };
  const signature = await send(address, 5_000_000n);
  await time.advance(LANDING - 1);
  expect([await status(), await balance('confirmed')]).toEqual([undefined, 0]);
  await time.advance(1);
  expect([await status(), await balance('confirmed'), await balance('finalized')]).toEqual(['confirmed', 5_000_000, 0]);
  await time.advance(FINALITY - 1);
  expect([await status(), await balance('finalized')]).toEqual(['confirmed', 0]);
  expect(await ask('getTransaction', signature, final)).toBeNull();
  await time.advance(1);
  expect([await status(), await balance('finalized')]).toEqual(['finalized', 5_000_000]);
  expect(await ask('getTransaction', signature, final)).not.toBeNull();
  ledger.close();
});

it('shows each final state in its turn, at a slot that was final then', async () => {
  const { time, ledger, ask, send } = await slowLedger();
  const { address } = await generateKeyPairSigner();
  const sent = 3;
  for (let place = 1; place <= sent; place++) {
    await send(address, 1_000_000n);
    await time.advance(4_000);
  }
  const seen = new Map<number, number>();
  for (let step = 0; step < 60; step++) {
    const { value, context } = await ask('getBalance', address, { commitment: 'finalized' });
    seen.set(value, (seen.get(value) ?? 0) + 1);
    const behind = (await ask('getSlot', { commitment: 'confirmed' })) - context.slot;
    expect(behind).toBeGreaterThanOrEqual(FINALITY / SLOT_MILLISECONDS - 2);
    await expect(
      ask('getBalance', address, { commitment: 'finalized', minContextSlot: context.slot + 1 }),
    ).rejects.toThrow('Minimum context slot');
    await time.advance(400);
  }
  expect([...seen.keys()]).toEqual([0, 1_000_000, 2_000_000, 3_000_000]);
  // Each for as long as lay between the transactions.
  expect([seen.get(1_000_000), seen.get(2_000_000)]).toEqual([10, 10]);
  ledger.close();
});

it('shows the blocks and blockhashes of their time, too', async () => {
  const { time, ledger, ask } = await slowLedger();
  await time.advance(20_000);
  const both = async (method: string) => [await ask(method, { commitment: 'confirmed' }), await ask(method)];
  const [height, finalHeight] = await both('getBlockHeight');
  expect(height - finalHeight).toBe(FINALITY / SLOT_MILLISECONDS);
  const [newest, final] = (await both('getLatestBlockhash')).map(({ value }) => value);
  expect(newest.lastValidBlockHeight - final.lastValidBlockHeight).toBe(FINALITY / SLOT_MILLISECONDS);
  const { value: isKnown } = await ask('isBlockhashValid', newest.blockhash);
  expect(isKnown).toBe(false);
  const clock = async (commitment: string): Promise<bigint> => {
    const { value } = await ask('getAccountInfo', CLOCK_SYSVAR, { commitment, encoding: 'base64' });
    return Buffer.from(value.data[0], 'base64').readBigInt64LE(32);
  };
  expect(Number((await clock('confirmed')) - (await clock('finalized')))).toBeCloseTo(FINALITY / 1_000, -1);
  ledger.close();
});

it('counts all as final that had landed when finality began to take time', async () => {
  const { ledger, ask, send } = await manualLedger();
  const { address } = await generateKeyPairSigner();
  const signature = await send(address, 5_000_000n);
  await ask('localnet_setHabits', { finalMs: FINALITY });
  expect((await ask('getBalance', address)).value).toBe(5_000_000);
  expect((await ask('getSignatureStatuses', [signature])).value[0].confirmationStatus).toBe('finalized');
  ledger.close();
});

it('keeps no more of the past than anybody can ask for', async () => {
  const { time, ledger, send } = await slowLedger();
  for (let sent = 0; sent < 20; sent++) {
    await send((await generateKeyPairSigner()).address, 1_000_000n);
    await time.advance(1_000);
  }
  // Each transfer wrote two accounts, and each slot the clock.
  expect([...ledger.past.written].length).toBeGreaterThan(10);
  expect([...ledger.past.written].length).toBeLessThan(20);
  await time.advance(2 * FINALITY);
  expect([...ledger.past.written]).toEqual([CLOCK_SYSVAR]);
  ledger.close();
});
