import { join } from 'node:path';
import { readOrCreateKey, writePayroll } from '@payouts/cli';
import {
  findRolePda,
  getSetRoleInstruction,
  getSetRoleInstructionAsync,
  RoleKind,
  sendToBase,
  signRequestWithBody,
  systemTime,
} from '@payouts/client';
import {
  createTransactionInstructions,
  executionInstruction,
  findTreasuryAddress,
  messageBytes,
  readTreasury,
  readTreasuryProposal,
  voteInstruction,
} from '@payouts/employer';
import { SAMPLE_DECIMALS } from '@payouts/sandbox';
import { commandsBy, type Printed, payoutHere } from '@payouts/testing/payout';
import { readSigned } from '@payouts/testing/signed';
import { placeMultisig, TREASURY_PROGRAM } from '@payouts/testing/treasury';
import { freshWallet } from '@payouts/testing/wallets';
import { World } from '@payouts/testing/world';
import { type Address, generateKeyPairSigner, type Instruction, type KeyPairSigner } from '@solana/kit';
import { getTransferSolInstruction } from '@solana-program/system';
import { beforeAll, expect, it } from 'vitest';

const UNIT = 10n ** BigInt(SAMPLE_DECIMALS);
/** A preparer, who proposes; approvers, who vote and execute; viewers and a clerk, who ask the coordinator; a stranger. */
const PEOPLE = ['pia', 'ann', 'bob', 'cleo', 'vera', 'vic', 'carl', 'stranger'] as const;
type Person = (typeof PEOPLE)[number];
const [PROPOSE, VOTE_AND_EXECUTE] = [1, 6];

let world: World;
let env: Record<string, string>;
let keys: Readonly<Record<Person, KeyPairSigner>>;
let createKey: Address;
let multisig: Address;
let treasury: Address;
let mint: Address;
let schedule: Address;

const file = (name: string) => join(world.folder, name);
const run = (...words: readonly string[]): Promise<Printed> => payoutHere(env, ...words);
const as = (who: Person | 'owner' | 'second') =>
  commandsBy((...words) => run(...words, '--keypair', file(`${who}.json`)));
const ofTreasury = () => ['--treasury', multisig] as const;

type Proposed = { readonly proposed: readonly string[]; readonly schedule?: Address };

/** Pia proposes, two approvers agree, the first of them executes. */
async function together(words: readonly string[], approvers: readonly [Person, Person] = ['ann', 'bob']) {
  const proposed = await as('pia').json<Proposed>(...words, ...ofTreasury(), '--yes');
  for (const index of proposed.proposed) {
    for (const who of approvers) await as(who).done('treasury', 'approve', index, ...ofTreasury(), '--yes');
    await as(approvers[0]).done('treasury', 'execute', index, ...ofTreasury(), '--yes');
  }
  return proposed;
}

/** What the API answers somebody who reads the payroll. */
async function readsAs(who: Person): Promise<readonly number[]> {
  const paths = [
    `employers/me/schedules?employer=${treasury}`,
    `schedules/${schedule}/recipients`,
    `schedules/${schedule}/grants`,
  ];
  const answers = await Promise.all(paths.map((path) => readSigned(keys[who], `${world.apiUrl}/api/${path}`)));
  return answers.map(({ status }) => status);
}

/** What the API answers somebody who lets an auditor read it. */
async function grantsAs(who: Person): Promise<number> {
  const url = `${world.apiUrl}/api/schedules/${schedule}/grants`;
  const endsAt = systemTime.now() + 3_600_000;
  const body = JSON.stringify({ auditor: keys.stranger.address, scope: 'totals', endsAt });
  const headers = await signRequestWithBody({ signer: keys[who], url, body, time: systemTime });
  return (await fetch(url, { method: 'POST', headers, body })).status;
}

/** Whether the ledger takes an instruction from somebody who signs it alone. */
const takes = (instructions: readonly Instruction[], who: Person): Promise<boolean> =>
  sendToBase(world.ledgers, instructions, keys[who]).then(
    () => true,
    () => false,
  );

const members = (approvers: readonly Person[]) => [
  [keys.pia.address, PROPOSE] as const,
  ...approvers.map((who) => [keys[who].address, VOTE_AND_EXECUTE] as const),
];

beforeAll(async () => {
  world = await World.start({ programs: [TREASURY_PROGRAM] });
  await world.startCoordinator();
  env = { PAYOUT_RPC: world.urls.baseRpcUrl, PAYOUT_API: world.apiUrl, PAYOUT_BOOK: file('book'), NO_COLOR: '1' };
  const made = await Promise.all(PEOPLE.map(async (who) => [who, await readOrCreateKey(file(`${who}.json`))] as const));
  keys = Object.fromEntries(made) as Record<Person, KeyPairSigner>;
  for (const [, { address }] of made) await world.fund(address);
  createKey = (await generateKeyPairSigner()).address;
  multisig = await placeMultisig(world, createKey, { threshold: 2, members: members(['ann', 'bob', 'cleo']) });
  treasury = await findTreasuryAddress(multisig);
  mint = await world.giveToken(treasury, 1_000n * UNIT);
});

it('has a payroll paid that a preparer proposes and two of three approvers agree to, and viewers read it', async () => {
  await together(['vault', 'init', '--token', mint]);
  await together(['vault', 'deposit', '900', '--token', mint]);
  const people = await Promise.all(Array.from({ length: 3 }, freshWallet));
  const lines = people.map((recipient, at) => ({ recipient, amount: BigInt(at + 1) * 100n * UNIT }));
  await writePayroll(file('payroll.csv'), lines, SAMPLE_DECIMALS);
  const terms = ['--token', mint, '--every', '1h', '--timeout', '10m', '--executions', '1'];
  schedule = (await together(['schedule', 'create', file('payroll.csv'), ...terms])).schedule as Address;
  await as('pia').done('schedule', 'register', schedule, ...ofTreasury(), '--yes');
  expect(await run('watch', schedule, '--window', '0', '--once')).toMatchObject({ code: 0 });
  for (const who of ['vera', 'vic', 'carl'] as const) expect(await readsAs(who)).toEqual([403, 403, 403]);
  await together(['roles', 'set', keys.vera.address, 'viewer']);
  await together(['roles', 'set', keys.vic.address, 'viewer']);
  await together(['roles', 'set', keys.carl.address, 'clerk']);
  for (const who of ['vera', 'vic', 'carl'] as const) expect(await readsAs(who)).toEqual([200, 200, 200]);
  await as('vera').done('receipt', 'export', schedule, '0', '--out', file('payslips'));
});

it('shows everybody’s role and since when, as the ledger has it', async () => {
  const { holders } = await as('stranger').json<Listed>('roles', 'list', ...ofTreasury());
  const approving = ['approver', 'executor'];
  // Roles of one second are in the order of their keys.
  expect(new Set(holders)).toEqual(
    new Set([
      { address: keys.pia.address, roles: ['preparer'] },
      ...(['ann', 'bob', 'cleo'] as const).map((who) => ({ address: keys[who].address, roles: approving })),
      { address: keys.vera.address, roles: ['viewer'], since: expect.any(Number) },
      { address: keys.vic.address, roles: ['viewer'], since: expect.any(Number) },
      { address: keys.carl.address, roles: ['clerk'], since: expect.any(Number) },
    ]),
  );
  expect(await as('stranger').done('roles', 'list', ...ofTreasury())).toContain('2 of 3 approvers decide.');
});

type Listed = { readonly holders: readonly object[] };

it('lets nobody do what is another role’s, by the command or past it', async () => {
  const before = await as('pia').json('vault', 'show', '--token', mint, ...ofTreasury());
  const { proposed } = await as('pia').json<Proposed>(
    'vault',
    'withdraw',
    '50',
    '--token',
    mint,
    ...ofTreasury(),
    '--yes',
  );
  const [number] = proposed as [string];
  const rules = await readTreasury(world.ledgers, multisig);
  const proposal = await readTreasuryProposal(world.ledgers, rules, BigInt(number));
  const possible: string[] = [];
  const tries = async (who: Person, what: string, instructions: readonly Instruction[]) => {
    if (await takes(instructions, who)) possible.push(`${who}: ${what}`);
  };
  const votes = async (who: Person) => {
    const voting = { multisig, index: BigInt(number), member: keys[who] };
    await tries(who, 'approve', [await voteInstruction(voting, 'approve')]);
    await tries(who, 'reject', [await voteInstruction(voting, 'reject')]);
  };
  const creates = async (who: Person) => {
    const voting = { multisig, index: rules.state.transactionIndex + 1n, member: keys[who] };
    const message = messageBytes(treasury, proposal.instructions);
    await tries(who, 'propose', await createTransactionInstructions(voting, 0, message));
  };
  const executes = async (who: Person) =>
    tries(who, 'execute', [await executionInstruction(rules, proposal, keys[who])]);
  const gives = async (who: Person) => {
    const holder = keys.stranger.address;
    const [role] = await findRolePda({ employer: treasury, holder });
    const call = { employer: keys[who], payer: keys[who], role, holder, kind: RoleKind.Viewer };
    await tries(who, 'give a role', [getSetRoleInstruction(call)]);
  };

  // A preparer decides nothing, and reads nothing.
  for (const answer of ['approve', 'reject', 'execute'])
    expect(await as('pia').refused('treasury', answer, number, ...ofTreasury(), '--yes')).toBe('role-refuses');
  await votes('pia');
  await executes('pia');
  // An approver proposes nothing, and executes nothing that another has not agreed to.
  await as('ann').done('treasury', 'approve', number, ...ofTreasury(), '--yes');
  for (const words of [
    ['vault', 'withdraw', '1', '--token', mint],
    ['roles', 'set', keys.stranger.address, 'viewer'],
  ])
    expect(await as('ann').refused(...words, ...ofTreasury(), '--yes')).toBe('role-refuses');
  expect(await as('ann').refused('treasury', 'execute', number, ...ofTreasury(), '--yes')).toBe('not-approved');
  await creates('ann');
  await executes('ann');
  // Viewers and clerks are no members.
  for (const who of ['vera', 'carl', 'stranger'] as const) {
    for (const words of [
      ['vault', 'withdraw', '1', '--token', mint],
      ['roles', 'set', keys.stranger.address, 'viewer'],
    ])
      expect(await as(who).refused(...words, ...ofTreasury(), '--yes')).toBe('not-member');
    expect(await as(who).refused('treasury', 'approve', number, ...ofTreasury(), '--yes')).toBe('not-member');
    await creates(who);
    await votes(who);
    await executes(who);
  }
  for (const who of PEOPLE) await gives(who);
  expect(possible).toEqual([]);
  for (const who of ['pia', 'ann', 'bob', 'stranger'] as const) expect(await readsAs(who)).toEqual([403, 403, 403]);
  for (const who of ['pia', 'ann', 'vera', 'stranger'] as const) expect(await grantsAs(who)).toBe(403);
  expect(await grantsAs('carl')).toBe(201);
  expect(await as('pia').json('vault', 'show', '--token', mint, ...ofTreasury())).toEqual(before);
});

it('revokes a viewer and an approver, who can do nothing from then on', async () => {
  await together(['roles', 'remove', keys.vic.address]);
  expect(await readsAs('vic')).toEqual([403, 403, 403]);
  expect(await readsAs('vera')).toEqual([200, 200, 200]);

  const { proposed } = await as('pia').json<Proposed>(
    'vault',
    'withdraw',
    '60',
    '--token',
    mint,
    ...ofTreasury(),
    '--yes',
  );
  const [before] = proposed as [string];
  const { state } = await readTreasury(world.ledgers, multisig);
  // Members change in Squads' own app; what was proposed before can't be voted on any more.
  await placeMultisig(world, createKey, {
    threshold: 2,
    members: members(['ann', 'cleo']),
    stale: state.transactionIndex,
  });
  expect(await as('ann').refused('treasury', 'approve', before, ...ofTreasury(), '--yes')).toBe('not-open');
  const again = await as('pia').json<Proposed>('vault', 'withdraw', '60', '--token', mint, ...ofTreasury(), '--yes');
  for (const number of [before, again.proposed[0] as string]) {
    for (const what of ['approve', 'reject', 'execute'])
      expect(await as('bob').refused('treasury', what, number, ...ofTreasury(), '--yes')).toBe('not-member');
    const voting = { multisig, index: BigInt(number), member: keys.bob };
    expect(await takes([await voteInstruction(voting, 'approve')], 'bob')).toBe(false);
  }
  await together(['vault', 'deposit', '1', '--token', mint], ['ann', 'cleo']);
});

type History = {
  readonly entries: readonly {
    readonly at: number;
    readonly by: string;
    readonly signature: string;
    readonly deeds: readonly {
      readonly what: string;
      readonly number?: string;
      readonly about?: string;
      readonly role?: string | null;
    }[];
  }[];
};

it('does all that an employer does in a month by what is proposed, approved and executed', async () => {
  const both = ['ann', 'cleo'] as const;
  const people = await Promise.all(Array.from({ length: 3 }, freshWallet));
  const paying = async (name: string, amounts: readonly bigint[]) => {
    const lines = amounts.map((amount, at) => ({ recipient: people[at] as Address, amount: amount * UNIT }));
    await writePayroll(file(name), lines, SAMPLE_DECIMALS);
    return file(name);
  };
  const token = ['--token', mint] as const;
  await together(['vault', 'deposit', '60', ...token], both);
  const salaries = await paying('salaries.csv', [20n, 30n]);
  const terms = ['--every', '1h', '--timeout', '10m', '--executions', '2', '--first', '2099-01-01T09:00Z'];
  const own = (await together(['schedule', 'create', salaries, ...token, ...terms], both)).schedule as Address;
  await as('pia').done('schedule', 'register', own, ...ofTreasury(), '--yes');
  // A raise, and somebody new; somebody is held back, and let go on; a pause.
  await together(['vault', 'deposit', '30', ...token], both);
  const raised = await paying('raised.csv', [25n, 30n, 5n]);
  await together(['schedule', 'update', own, raised], both);
  await as('pia').done('schedule', 'register', own, ...ofTreasury(), '--yes');
  await together(['schedule', 'hold', own, people[1] as string], both);
  await together(['schedule', 'release', own, people[1] as string], both);
  await together(['schedule', 'pause', own], both);
  await together(['schedule', 'resume', own], both);
  expect(await as('pia').json('schedule', 'show', own, ...ofTreasury())).toMatchObject({
    status: 'active',
    amount: String(60n * UNIT),
  });
  // A bonus at once, of which a viewer reads the payslips and sums them up; then the payroll ends, and what is left goes home.
  const bonus = await paying('bonus.csv', [3n, 4n]);
  const once = (await together(['schedule', 'pay-once', bonus, ...token, '--no-wait'], both)).schedule as Address;
  await as('pia').done('schedule', 'register', once, ...ofTreasury(), '--yes');
  expect(await run('watch', once, '--once')).toMatchObject({ code: 0 });
  await as('vera').done('audit', 'totals', once, '--out', file('audit'));
  await as('vera').done('receipt', 'export', once, '0', '--out', file('bonus-payslips'));
  await together(['schedule', 'close', once], both);
  await together(['schedule', 'cancel', own], both);
  await together(['vault', 'withdraw', 'all', ...token], both);
  expect(await as('pia').json('vault', 'show', ...token, ...ofTreasury())).toMatchObject({
    available: '0',
    reserved: '0',
  });
});

it('tells who gave and took roles, proposed, approved and executed, when and by which transaction', async () => {
  await givesRole(keys.stranger, multisig);
  const { entries } = await as('stranger').json<History>('roles', 'history', ...ofTreasury());
  const told = entries.toReversed().flatMap(({ by, deeds }) => deeds.map((deed) => ({ by, ...deed })));
  const rolesOf = (who: Person) => told.flatMap(({ about, role }) => (about === keys[who].address ? [role] : []));
  expect([rolesOf('vera'), rolesOf('vic'), rolesOf('carl')]).toEqual([['viewer'], ['viewer', null], ['clerk']]);
  const first = told.filter(({ number }) => number === '1');
  expect(first.map(({ by, what, number }) => [by, what, number])).toEqual([
    [keys.pia.address, 'proposed', '1'],
    [keys.ann.address, 'approved', '1'],
    [keys.bob.address, 'approved', '1'],
    [keys.ann.address, 'executed', '1'],
  ]);
  expect(new Set(told.flatMap(({ what, by }) => (what === 'proposed' ? [by] : [])))).toEqual(
    new Set([keys.pia.address]),
  );
  for (const { at, signature } of entries) expect([at > 0, signature.length > 80]).toEqual([true, true]);
  expect(await as('stranger').done('roles', 'history', ...ofTreasury())).toContain(
    `role set ${keys.vic.address} none any more`,
  );
});

/** Somebody gives a role as an employer of their own, in a transaction that names others. */
async function givesRole(signer: KeyPairSigner, ...named: readonly Address[]): Promise<void> {
  const holder = keys.vic.address;
  const given = await getSetRoleInstructionAsync({ employer: signer, payer: signer, holder, kind: RoleKind.Clerk });
  const naming = named.map((destination) => getTransferSolInstruction({ source: signer, destination, amount: 1n }));
  await sendToBase(world.ledgers, [...naming, given], signer);
}

it('keeps the same roles for an employer with a key of their own, whose approver agrees to everything', async () => {
  const [owner, second] = await Promise.all(['owner', 'second'].map((who) => readOrCreateKey(file(`${who}.json`))));
  if (owner === undefined || second === undefined) throw new Error('there are no keys');
  await world.fund(owner.address);
  await world.fund(second.address);
  const own = await world.giveToken(owner.address, 100n * UNIT);
  const token = ['--token', own, '--yes'] as const;
  await as('owner').done('vault', 'init', ...token);
  await as('owner').done('vault', 'deposit', '50', ...token);
  await as('owner').done('vault', 'approval', 'set', '--approver', second.address, '--limit', '0', ...token);
  await as('owner').done('roles', 'set', keys.vera.address, 'viewer', '--yes');
  expect(await as('owner').refused('roles', 'set', keys.vera.address, 'viewer', '--yes')).toBe('role-held');
  expect(await as('owner').refused('roles', 'set', owner.address, 'viewer', '--yes')).toBe('role-invalid');
  expect(await as('owner').refused('roles', 'remove', keys.vic.address, '--yes')).toBe('no-role');
  const { holders } = await as('owner').json<Listed>('roles', 'list');
  expect(holders).toMatchObject([
    { address: owner.address, roles: ['employer'] },
    { address: second.address, roles: ['approver'] },
    { address: keys.vera.address, roles: ['viewer'] },
  ]);
  // Whoever names the employer in what they do themselves does nothing for them.
  await givesRole(keys.stranger, owner.address);
  const { entries } = await as('owner').json<History>('roles', 'history');
  expect(new Set(entries.map(({ by }) => by))).toEqual(new Set([owner.address]));
  const whats = entries.flatMap(({ deeds }) => deeds.map(({ what }) => what));
  expect(whats.slice(0, 2)).toEqual(['role set', 'approval set']);
});
