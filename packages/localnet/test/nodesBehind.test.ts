import { type Address, generateKeyPairSigner } from '@solana/kit';
import { expect, it } from 'vitest';
import { manualLedger, OWN_NODE } from './manualLedger.ts';

const BEHIND = 800;

/** A ledger of whose nodes every second is behind, and what each of the two answers. */
async function twoNodes(habits: Readonly<Record<string, unknown>> = {}) {
  const ledger = await manualLedger();
  await ledger.ask('localnet_setHabits', { behindMs: BEHIND, ...habits });
  // What is from the same instant is known to all nodes.
  await ledger.time.advance(1);
  const both = async (method: string, ...params: unknown[]) => [
    await ledger.ask(method, ...params),
    await ledger.ask(method, ...params),
  ];
  return { ...ledger, both };
}

it('answers every second call by a node that is behind in all that it knows', async () => {
  const { time, both, ask, send } = await twoNodes();
  await time.advance(2_000);
  const { address } = await generateKeyPairSigner();
  const signature = await send(address, 5_000_000n);
  // Of the two calls above, the send was the first.
  await ask('getHealth');
  const confirmed = { commitment: 'confirmed' };
  for (const options of [confirmed, {}]) {
    const [fresh, stale] = await both('getBalance', address, options);
    expect([fresh.value, stale.value]).toEqual([5_000_000, 0]);
    expect(stale.context.slot).toBeLessThan(fresh.context.slot);
  }
  const statuses = await both('getSignatureStatuses', [signature]);
  expect(statuses.map(({ value }) => value[0]?.confirmationStatus)).toEqual(['finalized', undefined]);
  const found = await both('getTransaction', signature, { ...confirmed, maxSupportedTransactionVersion: 0 });
  expect(found.map((each) => each?.slot)).toEqual([statuses[0].value[0].slot, undefined]);
  const [fresh, stale] = await both('getBlockHeight', confirmed);
  expect(fresh - stale).toBe(2);
  const [{ value: latest }, { value: former }] = await both('getLatestBlockhash', confirmed);
  expect(latest.lastValidBlockHeight - former.lastValidBlockHeight).toBe(2);
  const [known, unknown] = await both('isBlockhashValid', latest.blockhash, confirmed);
  expect([known.value, unknown.value]).toEqual([true, false]);
  await time.advance(BEHIND);
  expect((await both('getBalance', address, confirmed)).map(({ value }) => value)).toEqual([5_000_000, 5_000_000]);
});

it('lists the accounts of a program as the node that answers knows them', async () => {
  const { time, ledger, both } = await twoNodes();
  const signers = await Promise.all([1, 2, 3].map(() => generateKeyPairSigner()));
  const [kept, moved, program] = signers.map(({ address }) => address) as [Address, Address, Address];
  const place = (address: Address, owner: Address, size: number) =>
    ledger.setAccount({ address, owner, lamports: 1_000_000n, data: new Uint8Array(size), executable: false });
  place(kept, program, 7);
  place(moved, program, 7);
  await time.advance(BEHIND);
  place(kept, program, 8);
  place(moved, kept, 8);
  const listed = await both('getProgramAccounts', program, { commitment: 'confirmed', encoding: 'base64' });
  const sizes = listed.map((accounts) =>
    accounts.map(({ pubkey, account }: { pubkey: string; account: { space: number } }) => [pubkey, account.space]),
  );
  expect(sizes[0]).toEqual([[kept, 8]]);
  expect(new Map(sizes[1])).toEqual(
    new Map([
      [kept, 7],
      [moved, 7],
    ]),
  );
});

it('refuses to answer from before the slot that a client has seen, and says how far it is', async () => {
  const { time, both, ask } = await twoNodes();
  await time.advance(2_000);
  const slot = await ask('getSlot', { commitment: 'confirmed' });
  const reached = await ask('getSlot', { commitment: 'confirmed' });
  const asking = { commitment: 'confirmed', minContextSlot: slot };
  expect(reached).toBe(slot - 2);
  expect(await ask('getSlot', asking)).toBe(slot);
  await expect(ask('getSlot', asking)).rejects.toMatchObject({ code: -32_016, data: { contextSlot: reached } });
  await time.advance(BEHIND);
  await both('getSlot', asking);
});

it('does not take a blockhash for a preflight that its node has not seen', async () => {
  const { time, ask, ledger, send } = await twoNodes();
  await time.advance(2_000);
  const { address } = await generateKeyPairSigner();
  await ask('getHealth');
  await expect(send(address, 5_000_000n)).rejects.toThrow('Blockhash not found');
  await send(address, 5_000_000n);
  expect(ledger.bank.getBalance(address)).toBe(5_000_000n);
});

it('is as far behind at the finalized commitment', async () => {
  const { time, both, send } = await twoNodes({ finalMs: 4_000 });
  const { address } = await generateKeyPairSigner();
  await send(address, 5_000_000n);
  await time.advance(4_000);
  // The send was the first call of three.
  const values = async () => (await both('getBalance', address)).map(({ value }) => value);
  expect(await values()).toEqual([0, 5_000_000]);
  await time.advance(BEHIND);
  expect(await values()).toEqual([5_000_000, 5_000_000]);
});

it('does not concern an own node, whose calls are not counted', async () => {
  const { time, askAs, ask, send } = await twoNodes({ calls: 3, hasHistory: false, listsAccounts: false });
  const { address } = await generateKeyPairSigner();
  const signature = await send(address, 5_000_000n);
  for (let call = 0; call < 6; call++) {
    expect((await askAs(OWN_NODE, 'getBalance', address)).value).toBe(5_000_000);
    await askAs(OWN_NODE, 'getProgramAccounts', address);
    expect(await askAs(OWN_NODE, 'getTransaction', signature, { maxSupportedTransactionVersion: 0 })).not.toBeNull();
  }
  expect((await ask('getBalance', address)).value).toBe(0);
  await time.advance(BEHIND);
  expect((await ask('getBalance', address)).value).toBe(5_000_000);
});
