import {
  cancelWithdrawal,
  personalOf,
  redirectWithdrawal,
  releaseWithdrawal,
  requestParts,
  requestWithdrawal,
  walletTokens,
  withdrawalCleared,
} from '@payouts/cli';
import {
  askLayer,
  authorisationInstruction,
  connectPrivately,
  derivePermissionAddress,
  expiryFrom,
  ownerRecord,
  PAYOUT_LEDGER_PROGRAM_ADDRESS,
  type Payee,
  personalNamed,
  readingMessage,
  readPermission,
  showBalance,
  showBalanceInstruction,
  systemTime,
} from '@payouts/client';
import { type Gateway, privateWorld } from '@payouts/testing/tee/gateway';
import { toldBalance } from '@payouts/testing/toldBalance';
import { underWay } from '@payouts/testing/underWay';
import { freshWallet, keyOf, makeHostile, variedPayees } from '@payouts/testing/wallets';
import { type Employer, until, type World } from '@payouts/testing/world';
import { type Address, generateKeyPairSigner, type KeyPairSigner, signBytes } from '@solana/kit';
import { beforeAll, expect, it } from 'vitest';
import { beFirstAt } from './beFirstAt.ts';

const AMOUNT = 1_000_000n;
const DAY = 86_400;

let world: World;
let gateway: Gateway;
let employer: Employer;
let one: KeyPairSigner;
let another: KeyPairSigner;
/** Whose money goes on to their wallet, which takes none. */
let delivered: KeyPairSigner;
/** Once told by the coordinator, and kept. */
let balance: Awaited<ReturnType<typeof toldBalance>>;
let anothersBalance: typeof balance;
let deliveredBalance: typeof balance;

beforeAll(async () => {
  ({ world, gateway } = await privateWorld());
  await world.startCoordinator(settings());
  const [frozen, ...others] = (await variedPayees(4, AMOUNT)) as [Payee, ...Payee[]];
  const payees: Payee[] = [{ ...frozen, delivery: 'wallet' }, ...others];
  employer = await world.employer(payees, { executions: 1 });
  await makeHostile(world, employer.mint, frozen.recipient as Address, { frozen: true });
  await world.registerAndSettle(employer);
  [delivered, one, another] = payees.map(keyOf) as [KeyPairSigner, KeyPairSigner, KeyPairSigner];
  [deliveredBalance, balance, anothersBalance] = (await Promise.all(
    [delivered, one, another].map((signer) => toldBalance(world, signer)),
  )) as [typeof balance, typeof balance, typeof balance];
  const isIssued = async () => (await underWay(world.ledgers, deliveredBalance))[0]?.dueAt;
  await until(async () => (await isIssued()) !== undefined, 'the delivery that its wallet does not take');
  await world.stopCoordinator();
});

const settings = () => ({ LAYER_RPC_URL: gateway.url, LAYER_SIGN_IN: 'true' });
const ledgersOf = (guest: KeyPairSigner) =>
  connectPrivately({ ...world.localnet, layerRpcUrl: gateway.url }, guest, systemTime);
const shown = (guest: KeyPairSigner) =>
  showBalance(ledgersOf(guest), guest, { ...balance, page: balance.told.page, slot: balance.told.slot });

it('shows a recipient their balance by the layer and their key alone, and nobody else', async () => {
  expect((await shown(one)).amount).toBe(balanceAtFirst());
  await expect(shown(await generateKeyPairSigner())).rejects.toMatchObject({ code: 'NotOwner' });
  await expect(shown(employer.signer)).rejects.toMatchObject({ code: 'NotOwner' });
});

it('shows nothing by a signature that somebody has made up who knows everything else, as their employer does', async () => {
  const owned = { ...balance, recipient: one.address, page: balance.told.page, slot: balance.told.slot };
  const message = readingMessage(PAYOUT_LEDGER_PROGRAM_ADDRESS, ownerRecord(owned).owner, expiryFrom(systemTime));
  const theirs = await signBytes(employer.signer.keyPair.privateKey, message);
  const right = await signBytes(one.keyPair.privateKey, message);
  const asked = (signature: Uint8Array) =>
    askLayer(ledgersOf(employer.signer), [
      authorisationInstruction({ recipient: one.address, signature, message }),
      showBalanceInstruction(owned),
    ]);
  for (const signature of [new Uint8Array(64), theirs, right.with(0, (right[0] as number) ^ 1)]) {
    await expect(asked(signature)).rejects.toThrow();
  }
  expect(await asked(right)).toHaveLength(26);
});

/** What is under way of a balance, as its recipient alone is shown it, in the order in which it was asked for. */
async function underWayOf(own: { readonly recipient: KeyPairSigner; readonly balance: typeof balance }) {
  const all = (await personalOf(ledgersOf(own.recipient), own))?.withdrawals ?? [];
  return all.filter(({ amount }) => amount !== 0n).sort((a, b) => a.id - b.id);
}

it('takes what they ask while nobody else is there, several withdrawals at a time, and shows it to them', async () => {
  const ledgers = ledgersOf(one);
  const own = { recipient: one, balance };
  const [atOnce, later] = [await freshWallet(), await freshWallet()];
  expect(await personalOf(ledgers, own)).toBeUndefined();
  await requestWithdrawal(ledgers, { ...own, wallet: atOnce, amount: 300_000n });
  await requestWithdrawal(ledgers, { ...own, wallet: later, amount: 200_000n, within: 30 * DAY });
  await requestWithdrawal(ledgers, { ...own, wallet: later, amount: 100_000n, within: 30 * DAY });
  const [first, second, third] = await underWayOf(own);
  expect([first?.amount, second?.amount, third?.amount]).toEqual([300_000n, 200_000n, 100_000n]);
  expect([first?.number, second?.number, third?.number]).toEqual([expect.any(BigInt), 0n, 0n]);
  // What waits for its release is part of the balance still.
  expect((await shown(one)).amount).toBe(balanceAtFirst() - 300_000n);
  await cancelWithdrawal(ledgers, { ...own, id: second?.id ?? 0 });
  await redirectWithdrawal(ledgers, { ...own, id: third?.id ?? 0, wallet: atOnce, within: 0 });
  expect(await underWayOf(own)).toMatchObject([{ wallet: atOnce }, { wallet: atOnce, dueAt: 0n }]);

  // Nobody but the execution authority may read the account itself, and its permission, which anybody may read, says no more.
  const personal = (await personalOf(ledgers, own))?.address as Address;
  const permission = derivePermissionAddress(personal);
  const { value } = await ledgersOf(employer.signer).layer.getAccountInfo(permission, { encoding: 'base64' }).send();
  expect(readPermission(Buffer.from(value?.data[0] ?? '', 'base64'))).toMatchObject({
    account: personal,
    readers: [world.authority.address],
  });
  expect((await ledgers.layer.getAccountInfo(personal, { encoding: 'base64' }).send()).value).toBeNull();
  await expect(personalOf(ledgersOf(employer.signer), { ...own, recipient: employer.signer })).rejects.toMatchObject({
    code: 'NotOwner',
  });

  await world.startCoordinator(settings());
  await world.arrived(atOnce, employer, 400_000n);
  await withdrawalCleared(ledgers, own);
  expect((await shown(one)).amount).toBe(balanceAtFirst() - 400_000n);
  await world.checkMoneyRules(employer);
  await world.stopCoordinator();
});

it('takes their parts of a round, and releases one that is withheld by their key alone', async () => {
  const ledgers = ledgersOf(one);
  const own = { recipient: one, balance };
  const wallets = await Promise.all(Array.from({ length: 3 }, () => freshWallet()));
  await requestParts(ledgers, { ...own, size: 50_000n, wallets });
  const parts = await underWayOf(own);
  expect(parts.map(({ number, inRound, wallet }) => ({ number, inRound, wallet }))).toEqual(
    wallets.map((wallet) => ({ number: 0n, inRound: 1, wallet })),
  );
  await expect(releaseWithdrawal(ledgersOf(another), { ...own, recipient: another })).rejects.toThrow();
  await releaseWithdrawal(ledgers, { ...own, id: parts[1]?.id ?? 0 });
  const after = await underWayOf(own);
  expect(after.slice(0, 2).map(({ id, number }) => [id, number])).toEqual([
    [parts[0]?.id, 0n],
    [parts[2]?.id, 0n],
  ]);
  // It has its number, as every withdrawal under way that is paid, or redeemed where the layer is lost.
  expect(after[2]).toMatchObject({ amount: 50_000n, wallet: wallets[1], inRound: 0, number: expect.any(BigInt) });
  expect(after[2]?.number).toBeGreaterThan(0n);
  await world.startCoordinator(settings());
  await world.arrived(wallets[1] as Address, employer, 50_000n);
  for (const wallet of [wallets[0], wallets[2]]) {
    expect(await walletTokens(world.ledgers, wallet as Address, employer.mint)).toBe(0n);
  }
  await world.checkMoneyRules(employer);
  await world.stopCoordinator();
});

it('shows them what is under way of an account that the coordinator has made, and takes where it is to go', async () => {
  const own = { recipient: delivered, balance: deliveredBalance };
  const ledgers = ledgersOf(delivered);
  const [stuck, ...others] = await underWayOf(own);
  expect([stuck, others]).toMatchObject([{ wallet: delivered.address, amount: AMOUNT }, []]);
  expect(await personalOf(ledgers, own)).toMatchObject({ delivery: 1, recipient: delivered.address });
  const wallet = await freshWallet();
  await redirectWithdrawal(ledgers, { ...own, wallet });
  expect(await underWayOf(own)).toMatchObject([{ wallet, id: stuck?.id, number: stuck?.number }]);
  await world.startCoordinator(settings());
  await world.arrived(wallet, employer, AMOUNT, 60_000);
  await world.stopCoordinator();
});

it('makes their account elsewhere where somebody has sent lamports to its address, or to that of its permission, ahead', async () => {
  const own = { recipient: another, balance: anothersBalance };
  const ledgers = ledgersOf(another);
  const { page, slot } = anothersBalance.told;
  const { personalKey, personalNumber } = await showBalance(ledgers, another, { ...anothersBalance, page, slot });
  expect(personalNumber).toBe(0);
  const at = (number: number) => personalNamed(employer.mint, personalKey, number).address;
  await beFirstAt(world, at(1));
  await beFirstAt(world, derivePermissionAddress(at(2)));
  await requestWithdrawal(ledgers, { ...own, wallet: await freshWallet(), amount: 1n, within: 30 * DAY });
  expect(await personalOf(ledgers, own)).toMatchObject({ address: at(3), waiting: 1n });
});

const balanceAtFirst = (): bigint =>
  employer.list.recipients.find(({ recipient }) => recipient === one.address)?.amount ?? 0n;
