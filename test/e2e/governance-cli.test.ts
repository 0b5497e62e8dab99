import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readOrCreateKey } from '@payouts/cli';
import { connect, findScheduleAddress, type Ledgers, PAYOUT_LEDGER_PROGRAM_ADDRESS, systemTime } from '@payouts/client';
import { type Localnet, startLocalnet } from '@payouts/localnet';
import { createSampleToken } from '@payouts/sandbox';
import { commandsBy, payoutHere } from '@payouts/testing/payout';
import { generateKeyPairSigner, type KeyPairSigner, lamports } from '@solana/kit';
import { afterAll, beforeAll, expect, it } from 'vitest';

const program = fileURLToPath(new URL('../../program/payouts.so', import.meta.url));
const NAMES = ['admin', 'guardian', 'authority', 'successor', 'stranger'] as const;

let folder: string;
let localnet: Localnet;
let ledgers: Ledgers;
let keys: Record<(typeof NAMES)[number], KeyPairSigner>;
let env: Record<string, string>;

const file = (name: string) => join(folder, `${name}.json`);
/** Commands that anybody may run, and those that the key of a name signs. */
const { refused: codeOf, json } = commandsBy((...words) => payoutHere(env, 'governance', ...words));
const { done, refused } = commandsBy((name = '', ...words) =>
  payoutHere(env, 'governance', ...words, '--keypair', file(name), '--yes'),
);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'payouts-test-'));
  const made = await Promise.all(NAMES.map(async (name) => [name, await readOrCreateKey(file(name))] as const));
  keys = Object.fromEntries(made) as typeof keys;
  localnet = await startLocalnet({
    directory: join(folder, 'localnet'),
    programs: [{ address: PAYOUT_LEDGER_PROGRAM_ADDRESS, path: program, upgradeAuthority: keys.admin.address }],
    time: systemTime,
  });
  ledgers = connect(localnet, systemTime);
  for (const { address } of Object.values(keys)) {
    await ledgers.base.requestAirdrop(address, lamports(10_000_000_000n)).send();
  }
  env = { PAYOUT_RPC: localnet.baseRpcUrl, NO_COLOR: '1' };
});
afterAll(async () => {
  await localnet?.stop();
  await rm(folder, { recursive: true, force: true });
});

const initWords = (): string[] => {
  const roles = { guardian: keys.guardian, 'execution-authority': keys.authority };
  const named = Object.entries(roles).flatMap(([role, { address }]) => [`--${role}`, address]);
  return ['init', ...named, '--validator', localnet.validatorIdentity];
};

it('creates the config of a new deployment, by the upgrade authority alone', async () => {
  expect(await codeOf('show')).toBe('config-missing');
  expect((await payoutHere(env, 'governance', 'init', '--keypair', file('admin'))).code).toBe(2);
  expect(await refused('stranger', ...initWords())).toBe('not-upgrade-authority');
  expect(await refused('admin', ...initWords(), '--governance', keys.guardian.address)).toBe('guardian-same');
  await done('admin', ...initWords(), '--dry-run');
  expect(await codeOf('show')).toBe('config-missing');
  expect(await done('admin', ...initWords(), '--min-interval', '1m')).toMatch(/interval, at least +1 minute/);
  expect(await json('show')).toMatchObject({
    governance: keys.admin.address,
    executionAuthority: keys.authority.address,
    minInterval: 60,
    lossGrace: 604_800,
    employersListed: false,
    pendingGovernance: null,
  });
  expect(await refused('admin', ...initWords())).toBe('config-exists');
});

it('changes what is named, leaves the rest, and says what changes', async () => {
  expect(await refused('stranger', 'update', '--max-claims', '60')).toBe('not-governance');
  const said = await done('admin', 'update', '--max-claims', '100', '--employers', 'listed');
  expect(said).toMatch(/employers: any\n +→ listed ones only/);
  expect(said).not.toContain('interval');
  expect(await json('show')).toMatchObject({ maxClaims: 100, employersListed: true, minInterval: 60 });
  expect(await done('admin', 'update', '--max-claims', '100')).toContain('nothing to change');
  expect(await refused('admin', 'update', '--min-timeout', '2d')).toBe('InvalidConfig');
});

const FEES = ['--window-fee', '0.00031', '--recipient-fee', '0.000052228', '--opening-fee', '0.00203928'];

it('says what employers prepay', async () => {
  const said = await done('admin', 'update', ...FEES);
  expect(said).toMatch(/fee of a window: 0\S* SOL\n +→ 0\.00031 SOL/);
  expect(await json('show')).toMatchObject({ windowFee: 310_000, recipientFee: 52_228, openingFee: 2_039_280 });
});

it('admits employers, and keeps out who is not admitted', async () => {
  const mint = await generateKeyPairSigner();
  const employer = keys.stranger;
  const input = { payer: keys.admin, mint, holder: employer.address, amount: 1_000_000n };
  await createSampleToken(ledgers, input);
  const ofToken = ['--token', mint.address] as const;
  const open = () => payoutHere(env, 'vault', 'init', ...ofToken, '--keypair', file('stranger'), '--yes');
  expect(await codeOf('pool', 'show', ...ofToken)).toBe('pool-missing');
  expect(await done('stranger', 'pool', 'open', ...ofToken)).toContain('Opened: ');
  expect(await done('stranger', 'pool', 'open', ...ofToken)).toContain('open already');
  expect(await open()).toMatchObject({ code: 1, err: expect.stringContaining('whitelist') });
  await done('admin', 'whitelist', 'add', employer.address);
  expect(await json('whitelist', 'show', employer.address)).toMatchObject({ allowed: true });
  expect(await open()).toMatchObject({ code: 0, err: expect.stringContaining('Opens') });
  await done('admin', 'whitelist', 'remove', employer.address);
  expect(await json('whitelist', 'show', employer.address)).toMatchObject({ allowed: false });
  const before = await json<{ lamports: string }>('pool', 'show', ...ofToken);
  await done('stranger', 'pool', 'fund', '0.5', ...ofToken);
  const after = await json<{ lamports: string }>('pool', 'show', ...ofToken);
  expect(BigInt(after.lamports) - BigInt(before.lamports)).toBe(500_000_000n);
});

it('says with both keys from which withdrawal on a wallet’s account is opened', async () => {
  const mint = await generateKeyPairSigner();
  await createSampleToken(ledgers, { payer: keys.admin, mint, holder: keys.stranger.address, amount: 1n });
  const ofToken = ['--token', mint.address] as const;
  await done('stranger', 'pool', 'open', ...ofToken);
  const sponsor = (name: string, amount: string, guardian = 'guardian') =>
    [name, 'pool', 'sponsor', amount, ...ofToken, '--guardian-keypair', file(guardian)] as const;
  expect(await refused(...sponsor('stranger', '25'))).toBe('not-governance');
  expect(await refused(...sponsor('admin', '25', 'admin'))).toBe('not-guardian');
  await done(...sponsor('admin', '25'));
  expect(await json('pool', 'show', ...ofToken)).toMatchObject({ leastOpening: '25000000' });
  expect(await done(...sponsor('admin', 'none'))).toContain('→ for none');
});

it('hands governance over in two steps, and changes the guardian with both keys', async () => {
  const { successor, guardian, admin, stranger } = keys;
  expect(await refused('admin', 'hand-over', guardian.address)).toBe('guardian-same');
  await done('admin', 'hand-over', successor.address);
  expect(await refused('stranger', 'accept')).toBe('not-named');
  await done('admin', 'hand-over', 'nobody');
  expect(await refused('successor', 'accept')).toBe('not-named');
  await done('admin', 'hand-over', successor.address);
  await done('successor', 'accept');
  expect(await refused('admin', 'update', '--max-claims', '50')).toBe('not-governance');
  const both = (name: string) => ['--guardian-keypair', file(name)];
  expect(await refused('successor', 'guardian', admin.address, ...both('stranger'))).toBe('not-guardian');
  await done('successor', 'guardian', stranger.address, '--loss-grace', '2d', ...both('guardian'));
  const expected = { governance: successor.address, guardian: stranger.address, lossGrace: 172_800 };
  expect(await json('show')).toMatchObject(expected);
});

it('changes the execution authority once the guardian agrees, and suspends it', async () => {
  const { authority, admin, guardian } = keys;
  const propose = ['propose-authority', admin.address];
  expect(await refused('stranger', ...propose)).toBe('not-governance');
  await done('successor', ...propose);
  expect(await json('show')).toMatchObject({ executionAuthority: authority.address, pendingAuthority: admin.address });
  expect(await refused('authority', 'accept-authority')).toBe('not-named');
  expect(await refused('admin', 'accept-authority')).toBe('AuthorityNotDue');
  await done('stranger', 'refuse-authority');
  expect(await refused('admin', 'accept-authority')).toBe('not-named');
  await done('successor', ...propose);
  expect(await refused('guardian', 'approve-authority', admin.address)).toBe('not-guardian');
  expect(await refused('stranger', 'approve-authority', guardian.address)).toBe('ProposalChanged');
  await done('stranger', 'approve-authority', admin.address);
  await done('admin', 'accept-authority');
  expect(await json('show')).toMatchObject({ executionAuthority: admin.address, pendingAuthority: null });
  expect(await refused('guardian', 'suspend')).toBe('not-governance');
  await done('stranger', 'suspend');
  expect(await json('show')).toMatchObject({ suspendedUntil: expect.any(Number) });
  expect(await refused('stranger', 'suspend')).toBe('SuspendedRecently');
  await done('successor', 'lift-suspension', '--guardian-keypair', file('stranger'));
  expect(await json('show')).toMatchObject({ suspendedUntil: null });
});

it('proposes a key in the place of the other one, which the other one refuses', async () => {
  const { admin, authority, stranger } = keys;
  const propose = ['propose-replacement', authority.address];
  expect(await refused('admin', ...propose)).toBe('not-governance');
  expect(await refused('authority', 'accept-replacement')).toBe('not-named');
  await done('successor', ...propose);
  await done('stranger', 'propose-replacement', admin.address);
  expect(await json('show')).toMatchObject({
    guardian: stranger.address,
    nextGuardian: authority.address,
    guardianFrom: expect.any(Number),
    nextGovernance: admin.address,
  });
  expect(await refused('authority', 'accept-replacement')).toBe('ReplacementNotDue');
  await done('stranger', 'refuse-replacement', authority.address);
  await done('successor', 'refuse-replacement', admin.address);
  expect(await refused('authority', 'accept-replacement')).toBe('not-named');
  expect(await json('show')).toMatchObject({ nextGuardian: null, guardianFrom: null, nextGovernance: null });
});

it('declares no loss with one key where no window shows it', async () => {
  const nowhere = await findScheduleAddress(keys.admin.address, 0n);
  expect(await refused('admin', 'declare-loss-alone', nowhere)).toBe('not-governance');
  expect(await refused('stranger', 'declare-loss-alone', nowhere)).toBe('schedule-unknown');
});

it('declares the layer lost with both keys, and takes it back with one', async () => {
  await done('successor', 'declare-loss', '--guardian-keypair', file('stranger'));
  expect(await json<{ lossDeclaredAt: number }>('show')).toMatchObject({
    lossDeclaredAt: expect.any(Number),
  });
  expect(await refused('guardian', 'revoke-loss')).toBe('not-governance');
  await done('stranger', 'revoke-loss');
  expect(await json('show')).toMatchObject({ lossDeclaredAt: null });
  await done('successor', 'declare-loss', '--guardian-keypair', file('stranger'));
  expect(await refused('stranger', 'revoke-loss')).toBe('RevokedRecently');
  await done('successor', 'revoke-loss');
});
