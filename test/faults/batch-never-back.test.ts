import { withdraw } from '@payouts/cli';
import { addressToBytes, BatchPhase, getBatchDecoder } from '@payouts/client';
import { FaultProxy } from '@payouts/testing/faults/proxy';
import { freshWallet, keyOf, somePayees } from '@payouts/testing/wallets';
import { type Employer, expectInFull, HOUR, until, World } from '@payouts/testing/world';
import { type Address, getBase64Encoder } from '@solana/kit';
import { beforeAll, expect, it } from 'vitest';

const RECIPIENTS = 3;
const AMOUNT = 100n;

let world: World;
let between: FaultProxy;

beforeAll(async () => {
  world = await World.start({
    between: async (base) => {
      between = await FaultProxy.start(base, 1);
      return { rpcUrl: between.rpcUrl, wsUrl: between.subscriptions.url };
    },
  });
});

/** Whether the layer has closed a batch. */
async function isClosed(batch: Address): Promise<boolean> {
  const { value } = await world.ledgers.layer.getAccountInfo(batch, { encoding: 'base64' }).send();
  if (value === null) return false;
  return getBatchDecoder().decode(getBase64Encoder().encode(value.data[0])).phase === BatchPhase.Closed;
}

it('a batch that never comes back blocks its own schedule alone, also after a restart', async () => {
  const payer = await world.payer();
  const promise = async (id: bigint): Promise<Employer> =>
    world.promise(payer, await somePayees(RECIPIENTS, AMOUNT), { id, executions: 1, batchTimeout: HOUR });
  const lost = await promise(0n);
  const batch = await world.batch(lost);
  // What would bring it back is never seen by the base ledger, as when the validator has died with it.
  between.set({ faults: [{ kind: 'swallow' }], methods: ['sendTransaction'], holding: addressToBytes(batch) });
  await world.startCoordinator();
  await world.register(lost);
  await until(() => isClosed(batch), 'the layer to close the batch');
  await world.killCoordinator();
  await world.startCoordinator();

  // Who was paid out of it takes the money out, and others are paid.
  const [entry] = lost.list.recipients;
  if (entry === undefined) throw new Error('The list is empty.');
  const [recipient, balance] = [keyOf(entry), { ...entry, mint: lost.mint }];
  const wallet = await freshWallet();
  expect(await withdraw(world.ledgers, { recipient, balance, wallet, amount: 'all' })).toBe(AMOUNT);
  const other = await promise(1n);
  expectInFull(other, await world.registerAndSettle(other));
  const [run] = await world.executions(lost);
  expect(run).toMatchObject({ state: expect.not.stringMatching('settled'), claims: { paid: RECIPIENTS } });
});
