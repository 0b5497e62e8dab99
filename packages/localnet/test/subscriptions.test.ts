import { type Address, generateKeyPairSigner, getSignatureFromTransaction } from '@solana/kit';
import { getTransferSolInstruction } from '@solana-program/system';
import { expect, test } from 'vitest';
import { atEnd, connectAs, SOL, startWithClient } from './support.ts';

const { ledger, client } = await startWithClient();
const { subscriptions, payer } = client;
/** Of another client, which shares no subscription with the first. */
const { subscriptions: others } = connectAs(payer, ledger);

/** Options of a subscription that ends with the test file. */
function untilEnd(): { abortSignal: AbortSignal } {
  const stop = new AbortController();
  atEnd(() => stop.abort());
  return { abortSignal: stop.signal };
}

/** The next notification. */
async function next<T>(notifications: AsyncIterable<T>): Promise<T> {
  for await (const notification of notifications) return notification;
  throw new Error('the subscription ended');
}

test('an account tells its changes', async () => {
  const { address: destination } = await generateKeyPairSigner();
  const told = await subscriptions.accountNotifications(destination, { encoding: 'base64' }).subscribe(untilEnd());
  const first = next(told);
  await client.send(getTransferSolInstruction({ source: payer, destination, amount: SOL }));
  const { context, value } = await first;
  expect(value.lamports).toBe(SOL);
  expect(value.data).toEqual(['', 'base64']);
  expect(context.slot).toBeGreaterThan(0n);
});

test('a program tells those of its accounts that pass the filters', async () => {
  const owner = (await generateKeyPairSigner()).address;
  const told = await subscriptions
    .programNotifications(owner, { encoding: 'base64', filters: [{ dataSize: 4n }] })
    .subscribe(untilEnd());
  const first = next(told);
  const [small, fitting] = [(await generateKeyPairSigner()).address, (await generateKeyPairSigner()).address];
  await ledger.admin.setAccount({ address: small, lamports: SOL, owner, data: new Uint8Array(3) });
  await ledger.admin.setAccount({ address: fitting, lamports: SOL, owner, data: new Uint8Array(4) });
  expect((await first).value.pubkey).toBe(fitting);
});

/** Notifications of a signature that has landed. `confirm` waited for it by a subscription of the same name. */
async function landedSignature(destination: Address) {
  const transaction = await client.sign([getTransferSolInstruction({ source: payer, destination, amount: SOL })]);
  await client.confirm(transaction);
  const signature = getSignatureFromTransaction(transaction);
  return others.signatureNotifications(signature, { commitment: 'confirmed' });
}

test('a signature is told once, even when it landed before', async () => {
  const notifications = await landedSignature((await generateKeyPairSigner()).address);
  expect((await next(await notifications.subscribe(untilEnd()))).value).toEqual({ err: null });
});

test('a signature is told to a client, too, that reads nothing for a while', async () => {
  for (let waitMs = 0; waitMs < 6; waitMs += 1) {
    const notifications = await landedSignature((await generateKeyPairSigner()).address);
    const told = notifications.subscribe(untilEnd()).then(next);
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    // All that has come meanwhile is read at once then.
    for (const until = Date.now() + 60; Date.now() < until; );
    expect((await told).value).toEqual({ err: null });
  }
});

test('logs are told of transactions that mention an address', async () => {
  const { address: destination } = await generateKeyPairSigner();
  const told = await subscriptions.logsNotifications({ mentions: [destination] }).subscribe(untilEnd());
  const first = next(told);
  await client.send(getTransferSolInstruction({ source: payer, destination: payer.address, amount: 1n }));
  const transaction = await client.sign([getTransferSolInstruction({ source: payer, destination, amount: SOL })]);
  await client.confirm(transaction);
  const { value } = await first;
  expect(value.signature).toBe(getSignatureFromTransaction(transaction));
  expect(value.logs?.at(-1)).toContain('success');
});

test('slots, roots and the clock go on', async () => {
  const slots = await subscriptions.slotNotifications().subscribe(untilEnd());
  const { slot, parent } = await next(slots);
  expect(slot).toBe(parent + 1n);
  const roots = await subscriptions.rootNotifications().subscribe(untilEnd());
  expect(await next(roots)).toBeGreaterThan(slot);
  const clock = await subscriptions
    .accountNotifications('SysvarC1ock11111111111111111111111111111111' as never, { encoding: 'base64' })
    .subscribe(untilEnd());
  expect((await next(clock)).value.data[0].length).toBeGreaterThan(0);
});
