import { walletTokens, withdraw } from '@payouts/cli';
import { connectPrivately, PAYOUT_LEDGER_PROGRAM_ADDRESS, PERSONAL_KIND, systemTime } from '@payouts/client';
import { type Gateway, privateWorld } from '@payouts/testing/tee/gateway';
import { toldBalance } from '@payouts/testing/toldBalance';
import { freshWallet, keyOf, somePayees } from '@payouts/testing/wallets';
import { type Employer, until, type World } from '@payouts/testing/world';
import { type Address, generateKeyPairSigner, type KeyPairSigner } from '@solana/kit';
import { beforeAll, describe, expect, it } from 'vitest';

const RECIPIENTS = 30;
const AMOUNT = 1_000n;
/** Recipients who ask at a time, and lists that a stranger asks for at a time. */
const AT_A_TIME = 4;
/** An account is closed two minutes after it was made, and this machine may be busy. */
const CLOSED_WITHIN_MS = 240_000;
const ALL_WITHIN_MS = 600_000;

let world: World;
/** Reads an account, and then asks for its permission, as whoever obeys permissions does. */
let gateway: Gateway;
let employer: Employer;

beforeAll(async () => {
  ({ world, gateway } = await privateWorld());
  await world.startCoordinator({ LAYER_RPC_URL: gateway.url, LAYER_SIGN_IN: 'true' });
  employer = await world.employer(await somePayees(RECIPIENTS, AMOUNT));
  await world.registerAndSettle(employer);
});

const privately = (guest: KeyPairSigner) =>
  connectPrivately({ ...world.localnet, layerRpcUrl: gateway.url }, guest, systemTime);

/** Personal accounts among all accounts of the ledger program that are shown to somebody. */
async function personalsSeenBy({ layer }: Pick<World['ledgers'], 'layer'>): Promise<Address[]> {
  const found = await layer.getProgramAccounts(PAYOUT_LEDGER_PROGRAM_ADDRESS, { encoding: 'base64' }).send();
  const isPersonal = ([data]: readonly [string, string]) => Buffer.from(data, 'base64')[0] === PERSONAL_KIND;
  return found.filter(({ account }) => isPersonal(account.data)).map(({ pubkey }) => pubkey);
}

/** Has somebody's whole balance paid to a wallet, which makes their personal account. */
async function leave(recipient: KeyPairSigner): Promise<void> {
  const wallet = await freshWallet();
  const balance = await toldBalance(world, recipient);
  await withdraw(privately(recipient), { recipient, balance, wallet, amount: 'all' });
  expect(await walletTokens(world.ledgers, wallet, employer.mint)).toBe(AMOUNT);
}

/** Does something with each, a few at a time. */
async function each<T>(items: readonly T[], act: (item: T) => Promise<void>): Promise<void> {
  const left = [...items];
  const one = async () => {
    for (let item = left.pop(); item !== undefined; item = left.pop()) await act(item);
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, one));
}

describe('a stranger whom the layer lets in', { timeout: ALL_WITHIN_MS }, () => {
  it('is shown no personal account, however often they list them while these are made and closed', async () => {
    const stranger = privately(await generateKeyPairSigner());
    const there = new Set<Address>();
    const shown = new Set<Address>();
    let isOver = false;
    let lists = 0;
    const list = async () => {
      for (; !isOver; lists += 1) for (const address of await personalsSeenBy(stranger)) shown.add(address);
    };
    const lookers = Array.from({ length: AT_A_TIME }, list);
    const counting = async () => {
      while (!isOver) for (const address of await personalsSeenBy(world.ledgers)) there.add(address);
    };
    const count = counting();
    const keys = employer.list.recipients.map(keyOf);
    try {
      await each(keys, leave);
      const areClosed = async () => (await personalsSeenBy(world.ledgers)).length === 0;
      await until(areClosed, 'the personal accounts to be closed', CLOSED_WITHIN_MS);
    } finally {
      isOver = true;
      await Promise.all([...lookers, count]);
    }
    // Only while they are there could they be shown.
    expect(there.size).toBe(RECIPIENTS);
    expect(lists).toBeGreaterThan(RECIPIENTS);
    expect([...shown]).toEqual([]);
  });
});
