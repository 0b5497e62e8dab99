import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readOrCreateKey, writePayroll } from '@payouts/cli';
import {
  approveScheduleInstructions,
  fetchSchedule,
  getUpdateRecipientsInstructionAsync,
  millisOf,
  type Payee,
  prepareList,
  sendToBase,
} from '@payouts/client';
import { SAMPLE_DECIMALS } from '@payouts/sandbox';
import { commandsBy, payoutHere } from '@payouts/testing/payout';
import { freshWallet } from '@payouts/testing/wallets';
import { until, World } from '@payouts/testing/world';
import type { Address, KeyPairSigner } from '@solana/kit';
import { beforeAll, expect, it } from 'vitest';

const UNIT = 10n ** BigInt(SAMPLE_DECIMALS);

let world: World;
let env: Record<string, string>;
let mint: Address;
let people: Address[];
let employer: KeyPairSigner;
let approver: KeyPairSigner;
let schedule: Address;

type Proposed = { proposals: { recipients: { recipient: string }[] }[] };

const file = (name: string) => join(world.folder, name);
const { done, refused, json } = commandsBy((who = '', ...words) =>
  payoutHere(env, ...words, '--keypair', file(`${who}.json`)),
);
const view = async () =>
  (await (await fetch(`${world.apiUrl}/api/schedules/${schedule}`)).json()) as Record<string, unknown>;
const onLedger = async () => (await fetchSchedule(world.ledgers.base, schedule, { commitment: 'finalized' })).data;
/** Until the coordinator shows a schedule like this. */
const shows = (fields: Record<string, unknown>) =>
  until(
    async () => {
      const seen = await view();
      return Object.entries(fields).every(([name, value]) => seen[name] === value) && seen;
    },
    `a schedule like ${JSON.stringify(fields)}`,
  );
/** Lets time pass until the next window is due, no further, and waits until it is settled. */
async function paidWhenDue(inAll: string): Promise<void> {
  const { window, nextExecution } = await onLedger();
  await world.localnet.admin.warpClock(Number(nextExecution));
  await until(async () => (await onLedger()).window > window, 'the window', 60_000);
  expect(await done('employer', 'schedule', 'show', schedule)).toContain(`paid so far   ${inAll}`);
}
const pays = (amounts: readonly number[], from = 0): Payee[] =>
  amounts.map((amount, at) => ({ recipient: people[from + at] as Address, amount: BigInt(amount) * UNIT }));

beforeAll(async () => {
  world = await World.start();
  await world.startCoordinator();
  env = { PAYOUT_RPC: world.localnet.baseRpcUrl, PAYOUT_API: world.apiUrl, PAYOUT_BOOK: file('book'), NO_COLOR: '1' };
  employer = await readOrCreateKey(file('employer.json'));
  approver = await readOrCreateKey(file('approver.json'));
  mint = await world.giveToken(employer.address, 20_000n * UNIT);
  await world.fund(approver.address);
  people = await Promise.all(Array.from({ length: 5 }, freshWallet));
  await done('employer', 'vault', 'init', '--token', mint, '--yes');
  await done('employer', 'vault', 'deposit', '20,000', '--token', mint, '--yes');
});

it('names an approver at once, and loosens nothing without them', async () => {
  const set = ['vault', 'approval', 'set', '--token', mint, '--yes', '--approver'];
  expect(await refused('employer', ...set, employer.address, '--limit', '0')).toBe('approver-invalid');
  expect(await done('employer', ...set, approver.address, '--limit', '1,000')).toContain('Above 1,000.00');
  expect(await done('employer', ...set, approver.address, '--limit', '5,000')).toContain('A change waits');
  const shown = await json<{ approval: Record<string, unknown> }>('employer', 'vault', 'show', '--token', mint);
  expect(shown.approval).toMatchObject({ approver: approver.address, limit: String(1_000n * UNIT) });
  expect(shown.approval.change).toMatchObject({ limit: String(5_000n * UNIT) });
  const { vault } = shown as unknown as { vault: string };
  expect(await refused('employer', 'vault', 'approval', 'confirm', '--token', mint, '--yes')).toBe('not-due');
  // The employer thinks better of it; a stricter limit holds at once.
  expect(await done('employer', ...set, approver.address, '--limit', '800')).not.toContain('A change waits');
  const daily = await done('employer', ...set, approver.address, '--limit', '800', '--daily-limit', '20,000');
  expect(daily).toMatch(/or\s+20,000\.00\s\S+\s+in\s+a\s+day/);
  expect(await refused('approver', 'vault', 'approval', 'confirm', '--vault', vault, '--yes')).toBe('nothing-proposed');
});

it('opens no window of a schedule above the limit before the approver agrees, and then pays by the list they saw', async () => {
  await writePayroll(file('first.csv'), pays([500, 400, 100]), SAMPLE_DECIMALS);
  const terms = ['--token', mint, '--every', '1h', '--timeout', '10m', '--executions', '4', '--yes'];
  const create = ['schedule', 'create', file('first.csv'), ...terms, '--proposal', file('proposal.json')];
  const made = await json<{ schedule: Address; approver: string }>('employer', ...create);
  schedule = made.schedule;
  expect(made.approver).toBe(approver.address);
  expect((await stat(file('proposal.json'))).mode & 0o777).toBe(0o600);
  expect(await view()).toMatchObject({
    status: 'awaiting',
    nextWindow: null,
    registration: { state: 'registered' },
    proposal: { kind: 'schedule', isNewList: true, recipients: 3, executionsLeft: 4, executionsAdded: 0 },
  });
  expect(await done('employer', 'schedule', 'list', '--token', mint)).toContain(`waits for ${approver.address}`);
  expect(await done('employer', 'schedule', 'show', schedule)).toMatch(/waits +the schedule itself/);

  expect(await refused('employer', 'schedule', 'approve', schedule, '--list', file('proposal.json'), '--yes')).toBe(
    'not-approver',
  );
  expect(await refused('approver', 'schedule', 'approve', schedule, '--yes')).toBe('wrong-usage');
  const look = await done('approver', 'schedule', 'approve', schedule, '--list', file('proposal.json'), '--dry-run');
  expect(look).toContain('Everybody is new: 3 newcomers.');
  expect(look).toMatch(/each window +1,000\.00/);
  expect((await view()).status).toBe('awaiting');
  expect(await world.executions({ schedule })).toEqual([]);

  await done('approver', 'schedule', 'approve', schedule, '--list', file('proposal.json'), '--yes');
  await shows({ status: 'active', proposal: null });
  await paidWhenDue('1,000.00');
});

it('shows the approver what a new list changes, and keeps the present one until they agree', async () => {
  const names = ['Ann Doe', 'Ben Roe', 'Cleo Poe'];
  const lines = [...pays([700, 400]), ...pays([100], 3)].map(
    ({ recipient, amount }, at) => `${recipient},${amount / UNIT},${names[at]}`,
  );
  await writeFile(file('second.csv'), ['recipient,amount,name', ...lines].join('\n'));
  const update = ['schedule', 'update', schedule, file('second.csv'), '--proposal', file('change.json'), '--yes'];
  const before = await onLedger();
  const said = await done('employer', ...update);
  expect(said).toContain(`payout schedule approve ${schedule}`);
  expect((await onLedger()).root).toEqual(before.root);
  expect(await view()).toMatchObject({ status: 'active', root: Buffer.from(before.root).toString('hex') });
  const { proposedRoot, proposedAt } = await onLedger();
  const { proposal } = await until(async () => {
    const seen = await view();
    return seen.proposal !== null && seen;
  }, 'the change that waits');
  expect(proposal).toEqual({
    kind: 'change',
    root: Buffer.from(proposedRoot).toString('hex'),
    isNewList: true,
    recipients: 3,
    amountPerExecution: String(1_200n * UNIT),
    executionsLeft: before.executionsLeft,
    executionsAdded: 0,
    proposedAt: millisOf(proposedAt),
    expiresAt: millisOf(proposedAt) + 30 * 86_400_000,
  });
  const dry = ['schedule', 'approve', schedule, '--list', file('change.json'), '--dry-run'];
  const look = await done('approver', ...dry);
  expect(look).toContain('Against the current list: 1 raise of 40 %, 1 newcomer, 1 leaver.');
  expect(look).toMatch(/Ann Doe +Raise of 40 % +500\.00 → 700\.00/);
  expect(look).toMatch(/Cleo Poe +Newcomer +nothing → 100\.00/);
  expect(look).toMatch(/Leaver +100\.00 .* → nothing/);
  const { changes } = await json<{ changes: { added: { recipient: string }[] } }>('approver', ...dry);
  expect(changes.added.map(({ recipient }) => recipient)).toEqual([people[3]]);

  // A file that was tampered with rebuilds another root.
  const written = JSON.parse(await readFile(file('change.json'), 'utf8')) as Proposed;
  (written.proposals[0]?.recipients[0] as { recipient: string }).recipient = people[4] as string;
  await writeFile(file('forged.json'), JSON.stringify(written));
  expect(await refused('approver', 'schedule', 'approve', schedule, '--list', file('forged.json'), '--yes')).toBe(
    'list-differs',
  );

  await done('approver', 'schedule', 'approve', schedule, '--list', file('change.json'), '--yes');
  const { root } = await onLedger();
  expect(await shows({ root: Buffer.from(root).toString('hex') })).toMatchObject({
    rootVersion: 1,
    proposal: null,
    registration: { state: 'registered' },
  });
  expect(await refused('approver', 'schedule', 'approve', schedule, '--list', file('change.json'), '--yes')).toBe(
    'nothing-proposed',
  );
  await paidWhenDue('2,200.00');
});

it('pays nobody by a list that waits whom the employer has held back before or since', async () => {
  const [held, other] = [people[1] as Address, people[3] as Address];
  await done('employer', 'schedule', 'hold', schedule, held, '--yes');
  await writePayroll(file('third.csv'), [...pays([700, 500]), ...pays([100], 3)], SAMPLE_DECIMALS);
  const propose = (name: string) =>
    done('employer', 'schedule', 'update', schedule, file('third.csv'), '--proposal', file(name), '--yes');
  const approve = (name: string) => ['schedule', 'approve', schedule, '--list', file(name), '--yes'];
  expect(await propose('third.json')).toContain('1 person who is held back stays so');
  expect(await done('employer', 'schedule', 'hold', schedule, other, '--yes')).toMatch(/propose it\s+again/);
  expect(await refused('approver', ...approve('third.json'))).toBe('holds-changed');
  expect(await propose('again.json')).toContain('2 people who are held back stay so');
  const seen = await done('approver', ...approve('again.json'));
  expect(seen).toMatch(/held back +2 recipients/);
  expect(seen).toMatch(/Held back in it: \S/);
  const after = await onLedger();
  expect(after).toMatchObject({ heldCount: 2, proposedHeldCount: 0 });
  for (const who of [held, other]) await done('employer', 'schedule', 'release', schedule, who, '--yes');
});

it('refuses a list that was swapped between look and signature, also one of the same amount', async () => {
  const listed = await Promise.all([pays([700, 400, 100]), pays([700, 400, 100], 2)].map((each) => prepareList(each)));
  const propose = async (list: (typeof listed)[number]) =>
    sendToBase(
      world.ledgers,
      [
        await getUpdateRecipientsInstructionAsync({
          employer,
          payer: employer,
          vault: (await onLedger()).vault,
          schedule,
          root: list.root,
          amount: list.total,
          recipients: list.recipients.length,
          holds: (await onLedger()).holds,
          held: [],
        }),
      ],
      employer,
    );
  const [shown, swapped] = listed as [(typeof listed)[0], (typeof listed)[0]];
  await propose(shown);
  const seen = await until(async () => {
    const found = await onLedger();
    return Buffer.from(found.proposedRoot).equals(shown.root) && found;
  }, 'the proposal');
  await propose(swapped);
  const signed = await approveScheduleInstructions({ approver, address: schedule, schedule: seen });
  await expect(sendToBase(world.ledgers, signed, approver)).rejects.toThrow(
    /6065|0x17b1|ProposalChanged|not what this/,
  );
  // Nor does the second key help the first: the employer can't sign as the approver.
  const alone = await approveScheduleInstructions({
    approver: employer,
    address: schedule,
    schedule: await onLedger(),
  });
  await expect(sendToBase(world.ledgers, alone, employer)).rejects.toThrow(/6062|0x17ae|NotApprover|not the approver/);
  expect(await done('employer', 'schedule', 'reject', schedule, '--yes')).toContain('Rejected.');
  expect(await done('employer', 'schedule', 'show', schedule)).not.toMatch(/waits /);
});

it('lets nobody go round it by more windows, or by taking the money out', async () => {
  const { executionsLeft } = await onLedger();
  const fund = ['schedule', 'fund', schedule, '--executions', '3', '--yes', '--proposal'];
  // A file that is there already is told before anything is sent.
  expect(await refused('employer', ...fund, file('change.json'))).toBe('file-exists');
  await shows({ proposal: null });
  await done('employer', ...fund, file('more.json'));
  expect((await onLedger()).executionsLeft).toBe(executionsLeft);
  await until(async () => {
    const { proposal } = (await view()) as { proposal: { executionsAdded: number; isNewList: boolean } | null };
    return proposal?.executionsAdded === 3 && !proposal.isNewList;
  }, 'the windows that wait');
  const approve = ['schedule', 'approve', schedule, '--list', file('more.json'), '--yes'];
  expect(await done('approver', ...approve)).toContain('nothing changes');
  expect((await onLedger()).executionsLeft).toBe(executionsLeft + 3);
  const withdraw = ['vault', 'withdraw', '900', '--token', mint, '--yes'];
  expect(await refused('employer', ...withdraw)).toBe('approval-required');
  expect(await refused('employer', ...withdraw, '--approver-keypair', file('employer.json'))).toBe('not-approver');
  await done('employer', ...withdraw, '--approver-keypair', file('approver.json'));
  await done('employer', 'vault', 'withdraw', '800', '--token', mint, '--yes');
});

it('is removed when the approver agrees', async () => {
  await done('employer', 'vault', 'approval', 'remove', '--token', mint, '--yes');
  const { vault } = await json<{ vault: string }>('employer', 'vault', 'approval', 'show', '--token', mint);
  await done('approver', 'vault', 'approval', 'confirm', '--vault', vault, '--yes');
  expect(await done('employer', 'vault', 'approval', 'show', '--token', mint)).toContain('Nobody else must approve');
  await done('employer', 'vault', 'withdraw', '900', '--token', mint, '--yes');
});
