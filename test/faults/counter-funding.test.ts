import { readFile } from 'node:fs/promises';
import { withdraw } from '@payouts/cli';
import { addressToBytes, findCounterAddress } from '@payouts/client';
import { FaultProxy } from '@payouts/testing/faults/proxy';
import { freshWallet, keyOf, personOf, variedPayees } from '@payouts/testing/wallets';
import { type Employer, World } from '@payouts/testing/world';
import { beforeAll, expect, it } from 'vitest';

const AMOUNT = 1_000_000n;
const ONCE = { executions: 1, batchTimeout: 600 };

let world: World;
/** Before the layer, for the coordinator alone: recipients ask the layer itself. */
let proxy: FaultProxy;

beforeAll(async () => {
  world = await World.shared();
  proxy = await FaultProxy.start({ rpcUrl: world.urls.layerRpcUrl, wsUrl: world.urls.layerWsUrl }, 1);
  await world.startCoordinator({ LAYER_RPC_URL: proxy.rpcUrl });
});

/** From now on the layer refuses to fund an employer's counter: so many more times, or always. */
async function refuseFundings({ mint }: Employer, more = Number.POSITIVE_INFINITY): Promise<void> {
  const holding = addressToBytes(await findCounterAddress(mint));
  const times = proxy.count('refused') + more;
  proxy.set({ faults: [{ kind: 'refused' }], methods: ['sendTransaction'], holding, times });
}

/** Takes out what the first of a list was paid. */
async function takeOut(employer: Employer): Promise<bigint> {
  const first = keyOf(employer.list.recipients[0] as Employer['list']['recipients'][number]);
  const { amount: _, ...own } = personOf(employer, first);
  return withdraw(world.ledgers, { ...own, wallet: await freshWallet(), amount: 'all' });
}

it('a layer that refuses the funding of a counter at first keeps no recipient from their money', async () => {
  const employer = await world.employer(await variedPayees(2, AMOUNT), ONCE);
  await refuseFundings(employer, 2);
  await world.registerAndSettle(employer);
  expect(await takeOut(employer)).toBeGreaterThanOrEqual(AMOUNT);
});

it('a counter that got nothing stops no window, is told of with the reason, and gets it from the next one', async () => {
  const payees = await variedPayees(2, AMOUNT);
  const payer = await world.payer();
  const employer = await world.promise(payer, payees, ONCE);
  await refuseFundings(employer);
  await world.registerAndSettle(employer);
  await expect(takeOut(employer)).rejects.toMatchObject({ code: 'SponsorShort' });
  const log = (await readFile(world.coordinatorLog, 'utf8')).split('\n');
  const told = log.filter((line) => line.includes("a counter's lamports are low"));
  expect(told).toHaveLength(1);
  expect(JSON.parse(told[0] as string)).toMatchObject({ mint: payer.mint, detail: expect.stringContaining('refused') });

  proxy.set();
  await world.registerAndSettle(await world.promise(payer, payees, { ...ONCE, id: 1n }));
  expect(await takeOut(employer)).toBeGreaterThanOrEqual(AMOUNT);
});
