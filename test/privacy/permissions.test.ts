import { requestWithdrawal, setStandingOrder } from '@payouts/cli';
import {
  addressToBytes,
  connectPrivately,
  derivePermissionAddress,
  PAYOUT_LEDGER_PROGRAM_ADDRESS,
  type Payee,
  PERSONAL_KIND,
  systemTime,
} from '@payouts/client';
import { privateWorld } from '@payouts/testing/tee/gateway';
import { toldBalance } from '@payouts/testing/toldBalance';
import { freshWallet, keyOf, somePayees } from '@payouts/testing/wallets';
import type { Employer, World } from '@payouts/testing/world';
import { type Address, generateKeyPairSigner, type KeyPairSigner } from '@solana/kit';
import { beforeAll, expect, it } from 'vitest';
import { OTHER_PROGRAMS, OWN_PROGRAMS } from './layerPrograms.ts';

const AMOUNT = 1_000n;
const DAY = 86_400;

let world: World;
let employer: Employer;
let privately: (guest: KeyPairSigner) => ReturnType<typeof connectPrivately>;

beforeAll(async () => {
  const opened = await privateWorld();
  const { gateway } = opened;
  world = opened.world;
  privately = (guest) => connectPrivately({ ...world.localnet, layerRpcUrl: gateway.url }, guest, systemTime);
  await world.startCoordinator({ LAYER_RPC_URL: gateway.url, LAYER_SIGN_IN: 'true' });
  const [delivered, ...others] = (await somePayees(4, AMOUNT)) as [Payee, ...Payee[]];
  employer = await world.employer([{ ...delivered, delivery: 'wallet' }, ...others]);
  await world.registerAndSettle(employer);
});

/** All that a stranger is shown of the layer: every account of every program, its address and its bytes. */
async function shownTo({ layer }: ReturnType<typeof privately>) {
  const found = await Promise.all(
    [...OWN_PROGRAMS, ...OTHER_PROGRAMS].map((program) =>
      layer.getProgramAccounts(program, { encoding: 'base64' }).send(),
    ),
  );
  return found.flat().map(({ pubkey, account }) => ({ pubkey, bytes: Buffer.from(account.data[0], 'base64') }));
}

/** The accounts that hold what recipients have asked, past the gateway. */
async function personalAccounts(): Promise<Address[]> {
  const seen = await world.ledgers.layer
    .getProgramAccounts(PAYOUT_LEDGER_PROGRAM_ADDRESS, { encoding: 'base64' })
    .send();
  const kind = (data: string) => Buffer.from(data, 'base64')[0];
  return seen.filter(({ account }) => kind(account.data[0]) === PERSONAL_KIND).map(({ pubkey }) => pubkey);
}

it('lets no stranger learn who has asked for something, from whatever account of whatever program', async () => {
  const others = employer.list.recipients.filter(({ delivery }) => delivery === 'balance');
  const [first, second] = others.map(keyOf) as [KeyPairSigner, KeyPairSigner];
  const wallet = await freshWallet();
  const order = { recipient: first, balance: await toldBalance(world, first), threshold: 1n << 60n, wallet };
  await setStandingOrder(privately(first), order);
  const asked = { recipient: second, balance: await toldBalance(world, second), wallet, within: 30 * DAY };
  await requestWithdrawal(privately(second), { ...asked, amount: 1n });

  const seen = await shownTo(privately(await generateKeyPairSigner()));
  // They are shown the permissions themselves, which say of whom there is something to be hidden.
  const shown = new Set<Address>(seen.map(({ pubkey }) => pubkey));
  const personal = await personalAccounts();
  expect(personal).toHaveLength(3);
  expect(personal.filter((address) => !shown.has(derivePermissionAddress(address)))).toEqual([]);
  const said = (address: Address) => {
    const text = Buffer.from(addressToBytes(address));
    return seen.filter(({ pubkey, bytes }) => pubkey === address || bytes.includes(text)).length;
  };
  const people = [...others.map(({ recipient }) => recipient), wallet];
  expect(people.map(said)).toEqual(people.map(() => 0));
  expect(said(world.authority.address)).toBeGreaterThan(3);
});
