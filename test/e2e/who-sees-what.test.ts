import { join } from 'node:path';
import { grantAudit, personalOf, readOrCreateKey, setStandingOrder, walletTokens, withdraw } from '@payouts/cli';
import {
  addressToBytes,
  askLayer,
  connectPrivately,
  expiryFrom,
  findBatchAddress,
  getShowPersonalInstruction,
  ownerRecord,
  PAYOUT_LEDGER_PROGRAM_ADDRESS,
  type Recipient,
  readingMessage,
  showBalance,
  signedInstruction,
  systemTime,
  type TransactionFailed,
} from '@payouts/client';
import { claimRange, openWindow } from '@payouts/testing/claims';
import { payoutHere } from '@payouts/testing/payout';
import { readSigned } from '@payouts/testing/signed';
import { type Gateway, gatewayOf } from '@payouts/testing/tee/gateway';
import { toldBalance } from '@payouts/testing/toldBalance';
import { keyOf, variedPayees } from '@payouts/testing/wallets';
import { type Employer, World } from '@payouts/testing/world';
import { type Address, generateKeyPairSigner, type KeyPairSigner } from '@solana/kit';
import { beforeAll, expect, it } from 'vitest';

const RECIPIENTS = 3;
const AMOUNT = 1_000n;

let world: World;
let gateway: Gateway;
let employer: Employer;
let other: Employer;
let one: KeyPairSigner;
let colleague: KeyPairSigner;
let stranger: KeyPairSigner;
/** The file of another recipient's key. */
let keypair: string;
let auditor: KeyPairSigner;
let auditorOfOne: KeyPairSigner;

beforeAll(async () => {
  world = await World.start();
  gateway = await gatewayOf(world);
  await world.startCoordinator({ LAYER_RPC_URL: gateway.url, LAYER_SIGN_IN: 'true' });
  keypair = join(world.folder, 'recipient.json');
  const another = await readOrCreateKey(keypair);
  const all = [...(await variedPayees(RECIPIENTS, AMOUNT)), { recipient: another.address, amount: AMOUNT }];
  employer = await world.employer(all, { executions: 2, batchTimeout: 600 });
  const others = employer.list.recipients.filter(({ recipient }) => recipient !== another.address);
  [one, colleague] = others.map(keyOf) as [KeyPairSigner, KeyPairSigner];
  [stranger, auditor, auditorOfOne] = (await Promise.all([1, 2, 3].map(() => generateKeyPairSigner()))) as [
    KeyPairSigner,
    KeyPairSigner,
    KeyPairSigner,
  ];
  await world.registerAndSettle(employer);
  const api = { apiUrl: world.apiUrl, signer: employer.signer, time: systemTime };
  const endsAt = Date.now() + 600_000;
  await grantAudit(api, employer.schedule, { auditor: auditor.address, endsAt });
  await grantAudit(api, employer.schedule, { auditor: auditorOfOne.address, recipients: [one.address], endsAt });
  // A window that stays open, in the middle of its claims.
  other = await world.employer(await variedPayees(RECIPIENTS, AMOUNT), { batchTimeout: 600 });
  await openWindow(world, other, 0n);
  await claimRange(world, other, 0, 1);
});

const entryOf = ({ address }: KeyPairSigner) =>
  employer.list.recipients.find(({ recipient }) => recipient === address) as Recipient;
const ledgersOf = (guest: KeyPairSigner) =>
  connectPrivately({ ...world.localnet, layerRpcUrl: gateway.url }, guest, systemTime);

async function seesAccount(guest: KeyPairSigner, address: Address): Promise<boolean> {
  const { layer } = ledgersOf(guest);
  const { value } = await layer.getAccountInfo(address, { encoding: 'base64' }).send();
  const found = await layer.getProgramAccounts(PAYOUT_LEDGER_PROGRAM_ADDRESS, { encoding: 'base64' }).send();
  const isListed = found.some(({ pubkey }) => pubkey === address);
  expect(isListed).toBe(value !== null);
  return value !== null;
}

async function reads(signer: KeyPairSigner, path: string): Promise<boolean> {
  const { status } = await readSigned(signer, `${world.apiUrl}/api/schedules/${employer.schedule}${path}`);
  expect([200, 403]).toContain(status);
  return status === 200;
}

/** What the API answers about a recipient's own money. */
async function readsOwn(signer: KeyPairSigner, what: 'balances' | 'history'): Promise<boolean> {
  const response = await readSigned(signer, `${world.apiUrl}/api/recipients/${one.address}/${what}`);
  expect([200, 403]).toContain(response.status);
  if (response.status === 200) expect(await response.text()).toContain(employer.mint);
  return response.status === 200;
}

it('shows each what is theirs, and nobody what is another’s', async () => {
  const readers = {
    recipient: one,
    colleague,
    employer: employer.signer,
    stranger,
    'execution authority': world.authority,
    'auditor, totals': auditor,
    'auditor, named': auditorOfOne,
  };
  const batch = await findBatchAddress(other.schedule);
  const balance = await toldBalance(world, one);
  const { page, slot } = balance.told;
  const { address: wallet } = await generateKeyPairSigner();
  await setStandingOrder(ledgersOf(one), { recipient: one, balance, threshold: 1n << 60n, wallet });
  const personal = (await personalOf(ledgersOf(one), { recipient: one, balance }))?.address as Address;
  /** Whether somebody is shown the balance who knows everything about it, by their own signature. */
  const isShown = async (reader: KeyPairSigner) => {
    const claimed = { ...balance, page, slot };
    const found = await showBalance(ledgersOf(reader), reader, claimed).then(
      ({ amount }) => amount,
      (error: TransactionFailed) => error.code,
    );
    expect([entryOf(one).amount, 'NotOwner']).toContain(found);
    return found !== 'NotOwner';
  };
  /** Whether somebody is shown by their own signature what the recipient has asked, whose account they know. */
  const isShownAsked = async (reader: KeyPairSigner) => {
    const message = readingMessage(PAYOUT_LEDGER_PROGRAM_ADDRESS, ownerRecord(balance).owner, expiryFrom(systemTime));
    const asking = [await signedInstruction(reader, message), getShowPersonalInstruction({ personal, from: 0 })];
    const found = await askLayer(ledgersOf(reader), asking).catch((error: TransactionFailed) => error.code);
    if (typeof found === 'string') expect(found).toBe('NotRecipient');
    else
      for (const said of [one.address, wallet])
        expect(Buffer.from(found).includes(Buffer.from(addressToBytes(said)))).toBe(true);
    return typeof found !== 'string';
  };
  const things: Record<string, (reader: KeyPairSigner) => Promise<boolean>> = {
    "the recipient's balance (layer)": isShown,
    'the page where it is': (reader) => seesAccount(reader, page),
    'the account of what the recipient has asked': (reader) => seesAccount(reader, personal),
    'what the recipient has asked (layer)': isShownAsked,
    'an open window in the layer': (reader) => seesAccount(reader, batch),
    "the recipient's entry and receipts": (reader) => reads(reader, `/recipients/${one.address}`),
    "the recipient's balance and standing order (API)": (reader) => readsOwn(reader, 'balances'),
    'what the recipient did with their money (API)': (reader) => readsOwn(reader, 'history'),
    'the whole list': (reader) => reads(reader, '/recipients?limit=1'),
    "the recipient's payslips": (reader) => reads(reader, `/recipients/${one.address}/payslips/0`),
    'all payslips of a window': (reader) => reads(reader, '/payslips/0'),
    'totals with proofs': (reader) => reads(reader, '/audit'),
    'grants to auditors': (reader) => reads(reader, '/grants'),
    'state and totals of windows': (reader) => reads(reader, '/executions'),
  };
  const seen: Record<string, Record<string, boolean>> = {};
  for (const [thing, look] of Object.entries(things)) {
    const row: Record<string, boolean> = {};
    for (const [name, reader] of Object.entries(readers)) row[name] = await look(reader);
    seen[thing] = row;
  }
  console.table(seen);
  const only = (...who: readonly (keyof typeof readers)[]) =>
    Object.fromEntries(Object.keys(readers).map((name) => [name, (who as readonly string[]).includes(name)]));
  expect(seen).toEqual({
    "the recipient's balance (layer)": only('recipient'),
    'the page where it is': only('execution authority'),
    'the account of what the recipient has asked': only('execution authority'),
    'what the recipient has asked (layer)': only('recipient'),
    'an open window in the layer': only('execution authority'),
    "the recipient's entry and receipts": only('recipient', 'employer', 'auditor, named'),
    "the recipient's balance and standing order (API)": only('recipient'),
    'what the recipient did with their money (API)': only('recipient'),
    'the whole list': only('employer'),
    "the recipient's payslips": only('recipient', 'employer', 'auditor, named'),
    'all payslips of a window': only('employer'),
    'totals with proofs': only('employer', 'auditor, totals'),
    // An auditor is shown their own.
    'grants to auditors': only('employer', 'auditor, totals', 'auditor, named'),
    'state and totals of windows': only(...(Object.keys(readers) as (keyof typeof readers)[])),
  });
});

it('turns away whoever is not signed in', async () => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'getSlot' });
  const headers = { 'content-type': 'application/json' };
  for (const url of [gateway.url, `${gateway.url}/?token=made-up`]) {
    expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(401);
  }
});

it('lets a recipient take their money to any wallet, signed in with their own key', async () => {
  const { address: wallet } = await generateKeyPairSigner();
  const { mint } = employer;
  const balance = await toldBalance(world, one);
  const { amount } = entryOf(one);
  expect(await withdraw(ledgersOf(one), { recipient: one, balance, wallet, amount: 'all' })).toBe(amount);
  expect(await walletTokens(world.ledgers, wallet, mint)).toBe(amount);
});

it('sends what a recipient signs to the private layer directly, signed in by the command', async () => {
  const { address: wallet } = await generateKeyPairSigner();
  const before = gateway.signIns;
  const words = ['withdraw', 'all', '--now', '--to', wallet, '--layer', gateway.url, '--keypair', keypair, '--yes'];
  const env = { PAYOUT_API: world.apiUrl };
  gateway.admits = false;
  const refused = await payoutHere(env, ...words, '--json');
  gateway.admits = true;
  expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('sign-in-refused')]);
  expect(await payoutHere(env, ...words)).toMatchObject({ code: 0 });
  expect(gateway.signIns).toBeGreaterThan(before);
  expect(await walletTokens(world.ledgers, wallet, employer.mint)).toBe(AMOUNT);
});
