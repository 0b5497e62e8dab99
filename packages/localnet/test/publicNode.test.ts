import { generateKeyPairSigner } from '@solana/kit';
import { expect, it } from 'vitest';
import { CALLER, manualLedger, OWN_NODE } from './manualLedger.ts';
import { post, request, startWithClient } from './support.ts';

it('answers so many calls of a method in ten seconds, and then again', async () => {
  const { time, ask } = await manualLedger();
  await ask('localnet_setHabits', { callsPerMethod: 2, saysRetryAfter: true });
  await ask('getSlot');
  await ask('getSlot');
  await expect(ask('getSlot')).rejects.toMatchObject({ retryAfter: 10 });
  await ask('getBlockHeight');
  await time.advance(9_999);
  await expect(ask('getSlot')).rejects.toMatchObject({ retryAfter: 1 });
  await time.advance(1);
  await ask('getSlot');
  await ask('localnet_setHabits', {});
  for (let call = 0; call < 5; call++) await ask('getSlot');
});

it('answers so many calls of all methods, of each client address by itself', async () => {
  const { time, ask, askAs } = await manualLedger();
  const other = { ...CALLER, address: '127.0.0.2' };
  await ask('localnet_setHabits', { calls: 3, callsPerMethod: 2 });
  for (const method of ['getSlot', 'getSlot', 'getBlockHeight']) await ask(method);
  await expect(ask('getHealth')).rejects.toThrow('Too many requests from your IP');
  await expect(ask('getSlot')).rejects.toThrow('Too many requests for a specific RPC call');
  await expect(ask('getHealth')).rejects.toMatchObject({ retryAfter: undefined });
  await askAs(other, 'getSlot');
  await time.advance(10_000);
  await ask('getHealth');
});

it('without history knows what became of a transaction for two minutes', async () => {
  const { time, ask, askAs, send } = await manualLedger();
  await ask('localnet_setHabits', { hasHistory: false });
  const signature = await send((await generateKeyPairSigner()).address, 5_000_000n);
  const isKnown = async (caller = CALLER) =>
    (await askAs(caller, 'getSignatureStatuses', [signature])).value[0] !== null;
  await time.advance(120_000);
  expect(await isKnown()).toBe(true);
  await time.advance(1);
  expect([await isKnown(), await isKnown(OWN_NODE)]).toEqual([false, true]);
});

it('refuses habits that there are not', async () => {
  const { ask } = await manualLedger();
  await expect(ask('localnet_setHabits', { landsMs: 600 })).rejects.toThrow('landsMs is no habit: there are landMs, ');
  for (const wrong of [{ landMs: -1 }, { landMs: null }, { lostShare: 1.1 }, { hasHistory: 1 }, { calls: '40' }]) {
    await expect(ask('localnet_setHabits', wrong)).rejects.toThrow(/^Invalid params: \w+ may not be /);
  }
});

it('lacks transaction history and lists of accounts when told to', async () => {
  const { ask } = await manualLedger();
  const owner = '11111111111111111111111111111111';
  await ask('localnet_setHabits', { hasHistory: false, listsAccounts: false });
  const signature = '1'.repeat(64);
  for (const [method, ...params] of [
    ['getTransaction', signature],
    ['getSignaturesForAddress', owner],
    ['getSignatureStatuses', [signature], { searchTransactionHistory: true }],
  ] as const) {
    await expect(ask(method, ...params)).rejects.toThrow('Transaction history is not available from this node');
  }
  await expect(ask('getProgramAccounts', owner)).rejects.toThrow('Method not found');
  expect((await ask('getSignatureStatuses', [signature])).value).toEqual([null]);
});

it('refuses by HTTP status 429, with and without the time to come again', async () => {
  const { ledger } = await startWithClient();
  const call = () =>
    fetch(ledger.rpcUrl, { method: 'POST', body: request('getSlot'), headers: { 'content-type': 'application/json' } });
  for (const saysRetryAfter of [false, true]) {
    await ledger.admin.setHabits({ callsPerMethod: 1, saysRetryAfter });
    expect((await call()).status).toBe(200);
    const refused = await call();
    expect([refused.status, refused.headers.has('retry-after')]).toEqual([429, saysRetryAfter]);
  }
  await ledger.admin.setHabits({});
  expect(await post(ledger.rpcUrl, request('getSlot'))).toContain('result');
});
