import { fileURLToPath } from 'node:url';
import { cancelWithdrawal, personalOf, redirectWithdrawal, requestWithdrawal, withdrawalCleared } from '@payouts/cli';
import {
  askLayer,
  authorisationInstruction,
  connectPrivately,
  derivePermissionAddress,
  expiryFrom,
  namesReader,
  ownerRecord,
  PAYOUT_LEDGER_PROGRAM_ADDRESS,
  PERMISSION_PROGRAM_ADDRESS,
  readingMessage,
  showBalance,
  showBalanceInstruction,
  systemTime,
} from '@payouts/client';
import { type Gateway, gatewayOf } from '@payouts/testing/tee/gateway';
import { toldBalance } from '@payouts/testing/toldBalance';
import { underWay } from '@payouts/testing/underWay';
import { freshWallet, keyOf, variedPayees } from '@payouts/testing/wallets';
import { type Employer, World } from '@payouts/testing/world';
import { type Address, generateKeyPairSigner, type KeyPairSigner, signBytes } from '@solana/kit';
import { beforeAll, expect, it } from 'vitest';

const AMOUNT = 1_000_000n;
const DAY = 86_400;

let world: World;
let gateway: Gateway;
let employer: Employer;
let one: KeyPairSigner;
/** Once told by the coordinator, and kept. */
let balance: Awaited<ReturnType<typeof toldBalance>>;

beforeAll(async () => {
  const path = fileURLToPath(new URL('../program/published/permission-program.so', import.meta.url));
  world = await World.start({ programs: [{ address: PERMISSION_PROGRAM_ADDRESS, path }] });
  gateway = await gatewayOf(world);
  gateway.obeysPermissions = true;
  await world.startCoordinator(settings());
  employer = await world.employer(await variedPayees(4, AMOUNT), { executions: 1 });
  await world.registerAndSettle(employer);
  one = employer.list.recipients.map(keyOf)[0] as KeyPairSigner;
  balance = await toldBalance(world, one);
  await world.stopCoordinator();
});

const settings = () => ({ LAYER_RPC_URL: gateway.url, LAYER_SIGN_IN: 'true' });
const ledgersOf = (guest: KeyPairSigner) =>
  connectPrivately({ ...world.localnet, layerRpcUrl: gateway.url }, guest, systemTime);
const shown = (guest: KeyPairSigner) =>
  showBalance(ledgersOf(guest), guest, { ...balance, page: balance.told.page, slot: balance.told.slot });

it('shows a recipient their balance by the layer and their key alone, and nobody else', async () => {
  expect(await shown(one)).toBe(balanceAtFirst());
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
  expect(await asked(right)).toHaveLength(8);
});

it('takes what they ask while nobody else is there, several withdrawals at a time, and shows it to them', async () => {
  const ledgers = ledgersOf(one);
  const own = { recipient: one, balance };
  const [atOnce, later] = [await freshWallet(), await freshWallet()];
  await requestWithdrawal(ledgers, { ...own, wallet: atOnce, amount: 300_000n });
  await requestWithdrawal(ledgers, { ...own, wallet: later, amount: 200_000n, within: 30 * DAY });
  await requestWithdrawal(ledgers, { ...own, wallet: later, amount: 100_000n, within: 30 * DAY });
  const [first, second, third] = await underWay(ledgers, balance);
  expect([first?.amount, second?.amount, third?.amount]).toEqual([300_000n, 200_000n, 100_000n]);
  expect([first?.number, second?.number, third?.number]).toEqual([1n, 0n, 0n]);
  // What waits for its release is part of the balance still.
  expect(await shown(one)).toBe(balanceAtFirst() - 300_000n);
  await cancelWithdrawal(ledgers, { ...own, id: second?.id ?? 0 });
  await redirectWithdrawal(ledgers, { ...own, id: third?.id ?? 0, wallet: atOnce, within: 0 });
  expect(await underWay(ledgers, balance)).toMatchObject([{ wallet: atOnce }, { wallet: atOnce, dueAt: 0n }]);

  // Nobody but them and the execution authority may read the account that was made for it.
  const personal = (await personalOf(ledgers, balance))?.address as Address;
  const permission = derivePermissionAddress(personal);
  const { value } = await world.ledgers.layer.getAccountInfo(permission, { encoding: 'base64' }).send();
  const bytes = Buffer.from(value?.data[0] ?? '', 'base64');
  const readers = [one, world.authority, employer.signer].map(({ address }) => namesReader(bytes, address));
  expect(readers).toEqual([true, true, false]);
  expect(await personalOf(ledgersOf(employer.signer), balance)).toBeUndefined();

  await world.startCoordinator(settings());
  await world.arrived(atOnce, employer, 400_000n);
  await withdrawalCleared(ledgers, balance);
  expect(await shown(one)).toBe(balanceAtFirst() - 400_000n);
  await world.checkMoneyRules(employer);
});

const balanceAtFirst = (): bigint => employer.list.recipients[0]?.amount ?? 0n;
