import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readOrCreateKey, walletTokens, writePayroll } from '@payouts/cli';
import {
  findTokenAddress,
  findVaultAddress,
  getDepositInstruction,
  getUpdateRecipientsInstructionDataEncoder,
  PAYOUT_LEDGER_PROGRAM_ADDRESS,
  sendToBase,
  TOKEN_PROGRAM_ADDRESS,
} from '@payouts/client';
import {
  executionInstruction,
  findTreasuryAddress,
  proposalEffects,
  readTreasury,
  readTreasuryProposal,
  voteInstruction,
} from '@payouts/employer';
import { SAMPLE_DECIMALS } from '@payouts/sandbox';
import { commandsBy, type Printed, payout, payoutHere } from '@payouts/testing/payout';
import { placeMultisig, TREASURY_PROGRAM } from '@payouts/testing/treasury';
import { freshWallet } from '@payouts/testing/wallets';
import { World } from '@payouts/testing/world';
import {
  type Address,
  createNoopSigner,
  generateKeyPairSigner,
  type Instruction,
  type KeyPairSigner,
} from '@solana/kit';
import { ASSOCIATED_TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import { beforeAll, expect, it } from 'vitest';

const UNIT = 10n ** BigInt(SAMPLE_DECIMALS);
const MEMBERS = ['ada', 'ben', 'cleo'] as const;
type Member = (typeof MEMBERS)[number];

let world: World;
let env: Record<string, string>;
let multisig: Address;
let treasury: Address;
let mint: Address;
let people: Address[];
let schedule: Address;

const file = (name: string) => join(world.folder, name);
const run = (...words: readonly string[]): Promise<Printed> => payoutHere(env, ...words);
const as = (who: Member | 'stranger') => commandsBy((...words) => run(...words, '--keypair', file(`${who}.json`)));
const ofTreasury = () => ['--treasury', multisig] as const;
const ofToken = () => ['--token', mint, ...ofTreasury()] as const;

type Proposed = { readonly proposed: readonly string[]; readonly schedule?: Address };

/** Ada proposes, Ben approves, Cleo executes. */
async function together(...words: readonly string[]): Promise<Proposed> {
  const proposed = await as('ada').json<Proposed>(...words, ...ofTreasury(), '--yes');
  for (const index of proposed.proposed) {
    await as('ben').done('treasury', 'approve', index, ...ofTreasury(), '--yes');
    await as('cleo').done('treasury', 'execute', index, ...ofTreasury(), '--yes');
  }
  return proposed;
}

beforeAll(async () => {
  world = await World.start({ programs: [TREASURY_PROGRAM] });
  await world.startCoordinator();
  env = { PAYOUT_RPC: world.urls.baseRpcUrl, PAYOUT_API: world.apiUrl, PAYOUT_BOOK: file('book'), NO_COLOR: '1' };
  const keys = await Promise.all([...MEMBERS, 'stranger'].map((who) => readOrCreateKey(file(`${who}.json`))));
  for (const { address } of keys) await world.fund(address);
  const members = keys.slice(0, MEMBERS.length).map(({ address }) => address);
  multisig = await placeMultisig(world, (await generateKeyPairSigner()).address, { threshold: 2, members });
  treasury = await findTreasuryAddress(multisig);
  mint = await world.giveToken(treasury, 1_000n * UNIT);
  people = await Promise.all(Array.from({ length: 3 }, freshWallet));
});

it('opens a vault, deposits, promises a payroll that is paid, and takes the rest out, by two of three members', async () => {
  await together('vault', 'init', '--token', mint);
  await together('vault', 'deposit', '900', '--token', mint);
  expect(await as('cleo').json('vault', 'show', ...ofToken())).toMatchObject({ available: String(900n * UNIT) });

  await writePayroll(
    file('payroll.csv'),
    people.map((recipient, at) => ({ recipient, amount: BigInt(at + 1) * 100n * UNIT })),
    SAMPLE_DECIMALS,
  );
  const terms = ['--token', mint, '--every', '1h', '--timeout', '10m', '--executions', '1'];
  const promised = await together('schedule', 'create', file('payroll.csv'), ...terms);
  schedule = promised.schedule as Address;
  await as('ada').done('schedule', 'register', schedule, ...ofTreasury(), '--yes');
  expect(await run('watch', schedule, '--window', '0', '--once')).toMatchObject({ code: 0 });
  expect((await run('runs', schedule)).out).toMatch(/0 +settled +3 of 3/);
  // No window is to come: nobody waits for one.
  expect((await run('watch', schedule, '--once')).out).toContain('Window 0 is settled: 3 of 3 paid');

  await together('vault', 'withdraw', '300', '--token', mint);
  expect(await walletTokens(world.ledgers, treasury, mint)).toBe(400n * UNIT);
});

it('shows members in plain words what they approve, read from what the treasury would sign', async () => {
  const { proposed } = await as('ada').json<Proposed>(
    'roles',
    'set',
    people[0] as string,
    'viewer',
    ...ofTreasury(),
    '--yes',
  );
  const shown = await as('ben').done('treasury', 'approve', proposed[0] as string, ...ofTreasury(), '--dry-run');
  expect(shown.replace(/\s+/g, ' ')).toContain(`Makes ${people[0]} a viewer of the treasury: it reads`);
  await as('ben').done('treasury', 'reject', proposed[0] as string, ...ofTreasury(), '--yes');
  await as('cleo').done('treasury', 'reject', proposed[0] as string, ...ofTreasury(), '--yes');
  expect(await as('ada').refused('treasury', 'execute', proposed[0] as string, ...ofTreasury(), '--yes')).toBe(
    'not-approved',
  );
});

it('shows members whom a list pays, by a file that rebuilds its root and by no other', async () => {
  await together('vault', 'deposit', '160', '--token', mint);
  await writePayroll(
    file('second.csv'),
    people.slice(1).map((recipient) => ({ recipient, amount: 40n * UNIT })),
    SAMPLE_DECIMALS,
  );
  const terms = ['--token', mint, '--every', '1h', '--executions', '2', '--proposal', file('second.json')];
  const { proposed } = await as('ada').json<Proposed>(
    ...['schedule', 'create', file('second.csv'), ...terms, ...ofTreasury(), '--yes'],
  );
  const index = proposed[0] as string;
  const look = async (...words: string[]) =>
    (await run('treasury', 'show', index, ...ofTreasury(), ...words)).out.replace(/\s+/g, ' ');
  expect(await look()).toContain('You have not seen whom it pays');
  const seen = await look('--list', file('second.json'));
  expect(seen).toContain('it rebuilds its root on the ledger. Everybody is new: 2 newcomers.');
  expect(seen).toContain(people[1]);
  const approving = ['treasury', 'approve', index, ...ofTreasury(), '--yes', '--list'];
  const own = await readFile(file('second.json'), 'utf8');
  await writeFile(file('forged.json'), own.replaceAll(people[1] as string, people[0] as string));
  expect(await as('ben').refused(...approving, file('forged.json'))).toBe('list-differs');
  expect(await as('ben').json(...approving, file('second.json'))).toMatchObject({ status: 'approved' });
  await as('cleo').done('treasury', 'execute', index, ...ofTreasury(), '--yes');
});

it('warns members of a deposit that would be somebody else’s money', async () => {
  const vault = await findVaultAddress(people[0] as Address, mint);
  const deposit = getDepositInstruction({
    depositor: createNoopSigner(treasury),
    sourceToken: await findTokenAddress(treasury, mint, TOKEN_PROGRAM_ADDRESS),
    vault,
    vaultToken: await findTokenAddress(vault, mint, TOKEN_PROGRAM_ADDRESS),
    mint,
    amount: 50n * UNIT,
  });
  const context = { ledgers: world.ledgers, treasury: await readTreasury(world.ledgers, multisig) };
  const sentence = expect.stringContaining(`in the vault ${vault}, which is NOT the treasury's own.`);
  expect(await proposalEffects(context, { instructions: [deposit] })).toEqual([{ sentence, isWarning: true }]);
  // A vault that nobody has hides nothing else of what waits.
  const [terms, missing] = [getUpdateRecipientsInstructionDataEncoder(), await freshWallet()];
  const data = terms.encode({ root: new Uint8Array(32), amount: 1n, recipients: 1, holds: 0, held: [] });
  const accounts = Array.from({ length: 9 }, () => ({ address: missing, role: 0 }));
  const replaces = { programAddress: PAYOUT_LEDGER_PROGRAM_ADDRESS, accounts, data };
  const shown = await proposalEffects(context, { instructions: [replaces, deposit] });
  expect(shown[0]).toMatchObject({ sentence: expect.stringMatching(/Reject it\.$/), isWarning: true });
  expect(shown[1]?.sentence).toContain('Deposits 50.00 ');
});

it('takes a hardware wallet as a member, which proposes, approves and executes', async () => {
  // Where Node looks for what people install themselves: the cable's package, and behind it a device with Ben's key.
  const modules = file('installed');
  const cable = join(modules, '@ledgerhq', 'hw-transport-node-hid-noevents');
  await mkdir(cable, { recursive: true });
  const device = fileURLToPath(new URL('devices/ledger.cjs', import.meta.url));
  await writeFile(join(cable, 'index.js'), `module.exports = require(${JSON.stringify(device)});`);
  const own = { ...env, NODE_PATH: modules, LEDGER_KEY: file('ben.json') };
  const byDevice = commandsBy((...words) => payout(own, ...words, '--keypair', 'usb://ledger'));

  await together('vault', 'deposit', '20', '--token', mint);
  const { proposed } = await byDevice.json<Proposed>('vault', 'withdraw', '12', ...ofToken(), '--yes');
  const index = proposed[0] as string;
  expect(await byDevice.refused('treasury', 'execute', index, ...ofTreasury(), '--yes')).toBe('not-approved');
  await as('ada').done('treasury', 'approve', index, ...ofTreasury(), '--yes');
  const before = await walletTokens(world.ledgers, treasury, mint);
  await byDevice.done('treasury', 'execute', index, ...ofTreasury(), '--yes');
  expect((await walletTokens(world.ledgers, treasury, mint)) - before).toBe(12n * UNIT);
  const other = await as('ada').json<Proposed>('vault', 'withdraw', '8', ...ofToken(), '--yes');
  await byDevice.done('treasury', 'approve', other.proposed[0] as string, ...ofTreasury(), '--yes');
  await as('cleo').done('treasury', 'execute', other.proposed[0] as string, ...ofTreasury(), '--yes');
  expect((await walletTokens(world.ledgers, treasury, mint)) - before).toBe(20n * UNIT);
});

it('proposes nothing a second time that waits already, and the same again once it is done', async () => {
  const deposit = ['vault', 'deposit', '7', ...ofToken(), '--yes'] as const;
  const { proposed } = await as('ada').json<Proposed>(...deposit);
  const again = (await as('ada').done(...deposit)).replace(/\s+/g, ' ');
  expect(again).toContain(`You had proposed ${proposed[0]} before, and nothing new is proposed for it.`);
  // Another member's is one of its own: each may have been asked for it.
  expect((await as('ben').json<Proposed>(...deposit)).proposed).not.toEqual(proposed);
  await as('ben').done('treasury', 'approve', proposed[0] as string, ...ofTreasury(), '--yes');
  await as('cleo').done('treasury', 'execute', proposed[0] as string, ...ofTreasury(), '--yes');
  expect((await as('ada').json<Proposed>(...deposit)).proposed).not.toEqual(proposed);
});

it('lets a single member do none of what two decide together', async () => {
  await together('vault', 'deposit', '100', '--token', mint);
  await writePayroll(file('bonus.csv'), [{ recipient: people[0] as Address, amount: 10n * UNIT }], SAMPLE_DECIMALS);
  const before = await as('ada').json('vault', 'show', ...ofToken());
  const attempts = [
    ['vault', 'withdraw', '50', '--token', mint],
    ['vault', 'deposit', '50', '--token', mint],
    ['schedule', 'create', file('bonus.csv'), '--token', mint, '--executions', '1', '--every', '1h'],
    ['schedule', 'close', schedule],
    ['vault', 'approval', 'set', '--token', mint, '--approver', people[0] as string, '--limit', '1'],
    ['roles', 'set', people[0] as string, 'viewer'],
  ];
  const possible: string[] = [];
  const ada = await readOrCreateKey(file('ada.json'));
  for (const words of attempts) {
    const { proposed } = await as('ada').json<Proposed>(...words, ...ofTreasury(), '--yes');
    const index = proposed[0] as string;
    const rules = await readTreasury(world.ledgers, multisig);
    const proposal = await readTreasuryProposal(world.ledgers, rules, BigInt(index));
    // Past the command, which would refuse both: executed without a second approval, and approved twice by one.
    const voting = { multisig, index: BigInt(index), member: ada };
    const alone = [
      await executionInstruction(rules, proposal, ada),
      await voteInstruction(voting, 'approve'),
      // Straight to the ledger program, signed by a member where the treasury signs.
      ...proposal.instructions.map((instruction) => bySigner(instruction, ada)),
    ];
    for (const instruction of alone) {
      const isDone = await sendToBase(world.ledgers, [instruction], ada).then(
        () => true,
        () => false,
      );
      // A member reads, and opens accounts, for themselves alone.
      if (isDone && !isHarmless(instruction)) possible.push(words.join(' '));
    }
    expect(await as('stranger').refused('treasury', 'approve', index, ...ofTreasury(), '--yes')).toBe('not-member');
    expect(await as('ada').refused('treasury', 'execute', index, ...ofTreasury(), '--yes')).toBe('not-approved');
  }
  expect(possible).toEqual([]);
  expect(await as('ada').json('vault', 'show', ...ofToken())).toEqual(before);
});

/** The same instruction with somebody else's signature where the treasury's stands. */
const bySigner = (instruction: Instruction, signer: KeyPairSigner): Instruction => ({
  ...instruction,
  accounts: (instruction.accounts ?? []).map((account) =>
    account.address === treasury ? { address: signer.address, role: account.role, signer } : account,
  ) as NonNullable<Instruction['accounts']>,
});

const isHarmless = ({ programAddress }: Instruction): boolean => programAddress === ASSOCIATED_TOKEN_PROGRAM_ADDRESS;
