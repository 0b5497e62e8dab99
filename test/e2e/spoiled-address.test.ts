import { balancePages, locateBalance } from '@payouts/cli';
import {
  getBalancePageDecoder,
  OPEN_PERSONAL_DISCRIMINATOR,
  type Payee,
  personalKey,
  personalNamed,
} from '@payouts/client';
import { gatewayOf } from '@payouts/testing/tee/gateway';
import { personalSeen } from '@payouts/testing/underWay';
import { keyOf, personOf, variedPayees } from '@payouts/testing/wallets';
import { HOUR, World } from '@payouts/testing/world';
import type { Address } from '@solana/kit';
import { expect, it } from 'vitest';
import { beFirstAt } from './beFirstAt.ts';

const AMOUNT = 1_000n;

it('delivers to a wallet although somebody was first at the address of the account that this takes', async () => {
  const world = await World.start();
  const gateway = await gatewayOf(world);
  // Nobody could know the address before the page is there.
  gateway.refuses = ([number]) => number === OPEN_PERSONAL_DISCRIMINATOR;
  await world.startCoordinator({ LAYER_RPC_URL: gateway.url, LAYER_SIGN_IN: 'true' });
  const [first, ...others] = (await variedPayees(3, AMOUNT)) as [Payee, ...Payee[]];
  const delivered: Payee = { ...first, delivery: 'wallet' };
  const employer = await world.employer([delivered, ...others], { executions: 2 });
  await world.registerAndSettle(employer);
  const { balance } = personOf(employer, keyOf(delivered));
  expect(await personalSeen(world.ledgers, balance)).toBeUndefined();

  const place = await locateBalance(world.ledgers, balance);
  const pages = await balancePages(world.ledgers, employer.mint);
  const page = pages.find(({ address }) => address === place?.page);
  const { nonce, slots } = getBalancePageDecoder().decode(page?.bytes ?? new Uint8Array());
  const owner = Uint8Array.from(slots[place?.slot ?? 0]?.owner ?? []);
  const at = (number: number) => personalNamed(employer.mint, personalKey(Uint8Array.from(nonce), owner), number);
  await beFirstAt(world, at(1).address);
  gateway.refuses = () => false;
  await world.localnet.admin.advanceClock(HOUR);
  await world.settled(employer, 1n);
  await world.arrived(delivered.recipient as Address, employer, 2n * AMOUNT);
  expect(await personalSeen(world.ledgers, balance)).toMatchObject({ address: at(2).address, delivery: 1 });
  await world.checkMoneyRules(employer);
});
