import { isSameBytes, type Proposal, prepareList, recipientsToJson, type Schedule, SEALED_TYPE } from '@payouts/client';
import type { TokenInfo } from '@payouts/employer';
import { type Address, generateKeyPairSigner } from '@solana/kit';
import { beforeAll, expect, it } from 'vitest';
import { PayrollDesk } from '../src/employer/payrollDesk.ts';

const MINT = 'So11111111111111111111111111111111111111112' as Address;
const TOKEN: TokenInfo = { mint: MINT, name: 'USDC', decimals: 6, program: MINT };
const RULES = { token: TOKEN, refused: new Map() };

let people: Address[];
let schedule: Address;

beforeAll(async () => {
  const keys = await Promise.all(Array.from({ length: 4 }, () => generateKeyPairSigner()));
  [schedule, ...people] = keys.map(({ address }) => address) as [Address, ...Address[]];
});

const row = (at: number) => ({ name: `Person ${at}`, label: 'Sales', recipient: people[at] });

const payroll = (amounts: readonly string[]): Blob => {
  const lines = amounts.map((amount, at) => `Person ${at},Sales,${people[at]},${amount}`);
  return new Blob([['name,department,recipient,amount', ...lines].join('\n')]);
};

it('names everything that is wrong in a file, and the question that it leaves open', async () => {
  const desk = new PayrollDesk();
  const wrong = await desk.open(payroll(['ten', '-5']), RULES);
  expect(wrong).toMatchObject({
    kind: 'refused',
    sentences: [expect.stringMatching(/^Line 2/), expect.stringMatching(/^Line 3/)],
  });
  const open = await desk.open(payroll(['"1,250"']), RULES);
  expect(open).toMatchObject({ kind: 'refused', question: { option: 'style' } });
  expect(await desk.open(payroll(['"1,250"']), { ...RULES, style: 'point' })).toMatchObject({
    kind: 'payroll',
    summary: { recipients: 1, total: 1_250_000_000n },
  });
});

it('asks for the rate of each currency, and carries what is converted into copy and proposal', async () => {
  const desk = new PayrollDesk();
  const [one, two, three] = people;
  const file = new Blob([`recipient,amount,currency\n${one},"2,000.00",EUR\n${two},10,CHF\n${three},5,`]);
  const refused = { kind: 'refused', sentences: [] as unknown[] };
  expect(await desk.open(file, RULES)).toMatchObject({ ...refused, currencies: ['EUR', 'CHF'] });
  expect(await desk.open(file, { ...RULES, rates: ['EUR=1.0834'] })).toMatchObject({ ...refused, currencies: ['CHF'] });
  expect(await desk.open(file, { ...RULES, rates: ['EUR=1,0834', 'CHF=1.1'] })).toMatchObject({
    ...refused,
    sentences: [expect.stringMatching(/^A rate says how many tokens/)],
  });
  const rates = { rates: ['EUR=1.0834', 'CHF=1.1'], rateSource: 'ECB 2026-11-27' };
  expect(await desk.open(file, { ...RULES, ...rates })).toMatchObject({
    summary: { total: 2_182_800_000n },
    conversions: [
      'Converts 1 amount of 2,000.00 EUR in all, at 1 EUR = 1.0834 USDC (ECB 2026-11-27): 2,166.80 USDC.',
      'Converts 1 amount of 10.00 CHF in all, at 1 CHF = 1.1 USDC (ECB 2026-11-27): 11.00 USDC.',
      expect.stringMatching(/^Each is rounded once/),
    ],
  });
  expect(desk.lines(0, 3).map(({ inCurrency, amount }) => [inCurrency, amount])).toEqual([
    ['2,000.00 EUR', '2,166.80 USDC'],
    ['10.00 CHF', '11.00 USDC'],
    ['', '5.00 USDC'],
  ]);
  desk.makeList(undefined);
  const copy = JSON.parse(await desk.copy(schedule).text());
  const [proposed] = JSON.parse(await desk.proposal(schedule).text()).proposals;
  expect(Object.values(copy.converted)).toHaveLength(2);
  expect(proposed.converted).toEqual(copy.converted);
  // Amounts whose header names a currency may be converted, too.
  const named = new Blob([`recipient,Net pay (EUR)\n${one},5`]);
  expect(await desk.open(named, RULES)).toMatchObject({ kind: 'payroll', currencies: ['EUR'], conversions: [] });
  expect(await desk.open(named, { ...RULES, rates: ['EUR=2'] })).toMatchObject({ summary: { total: 10_000_000n } });
});

/** A schedule of a list that holds these places back. */
const holding = (root: Uint8Array, ...held: number[]) => ({ root, held, heldCount: held.length });

it('keeps who is held back so in the list that it makes, wherever they stand in it', async () => {
  const desk = new PayrollDesk();
  await desk.open(payroll(['100', '50', '900']), RULES);
  const present = prepareList([
    { recipient: people[1] as Address, amount: 80_000_000n },
    { recipient: schedule, amount: 70_000_000n },
  ]);
  desk.addPresent(recipientsToJson(present.recipients));
  expect(desk.compare(holding(present.root, 0, 1))).toMatchObject({ held: { staying: [people[1]], leaving: 1 } });
  const { held } = desk.makeList(undefined);
  const list = JSON.parse(await desk.copy(schedule).text()) as { recipients: readonly { recipient: string }[] };
  expect(held.map((place) => list.recipients[place]?.recipient)).toEqual([people[1]]);
  // What was read of another schedule holds nobody back.
  desk.forgetPresent();
  expect(desk.makeList(undefined).held).toEqual([]);
});

it('compares a payroll with the current list, and with no other', async () => {
  const desk = new PayrollDesk();
  await desk.open(payroll(['100', '50', '900']), RULES);
  const present = prepareList([
    { recipient: people[0] as Address, amount: 80_000_000n },
    { recipient: people[1] as Address, amount: 50_000_000n },
    { recipient: schedule, amount: 70_000_000n },
  ]);
  const pages = recipientsToJson(present.recipients);
  desk.addPresent(pages.slice(0, 1));
  expect(desk.compare(holding(present.root))).toBeUndefined();
  desk.forgetPresent();
  for (const entry of pages) desk.addPresent([entry]);
  expect(desk.compare(holding(prepareList([{ recipient: people[0] as Address, amount: 1n }]).root))).toBeUndefined();
  expect(desk.compare(holding(present.root))).toMatchObject({ rows: 3 });
  expect(desk.changes(0, 9)).toEqual([
    { ...row(0), what: 'Raise of 25 %', amounts: '80.00 → 100.00 USDC', isUnusual: false },
    { ...row(2), what: 'Newcomer', amounts: 'nothing → 900.00 USDC', isUnusual: true },
    { name: '', label: '', recipient: schedule, what: 'Leaver', amounts: '70.00 USDC → nothing', isUnusual: false },
  ]);
  expect(desk.lines(1, 2)).toEqual([{ ...row(1), amount: '50.00 USDC', inCurrency: '', toWallet: false }]);
  expect(desk.names()[0]).toEqual([people[0], { name: 'Person 0', label: 'Sales' }]);

  // The file of today says nothing of who leaves: the approver is told what the employer has kept of them, and of nobody else.
  desk.addKnown([
    [schedule, 'Dmitri Obrazets'],
    [MINT, 'Somebody else'],
  ]);
  desk.makeList(undefined);
  const saved = JSON.parse(await desk.proposal(schedule).text()) as { proposals: readonly { names: object }[] };
  const { names } = saved.proposals[0] ?? {};
  expect(names).toMatchObject({ [schedule]: 'Dmitri Obrazets', [people[0] as Address]: 'Person 0' });
  expect(names).not.toHaveProperty(MINT);
});

it('shows another address of the same name as a change, before all others', async () => {
  const desk = new PayrollDesk();
  await desk.open(payroll(['100', '50']), RULES);
  const present = prepareList([
    { recipient: schedule, amount: 80_000_000n },
    { recipient: people[1] as Address, amount: 50_000_000n },
  ]);
  desk.addPresent(recipientsToJson(present.recipients));
  expect(desk.compare(holding(present.root))).toMatchObject({ rows: 2, moved: 0 });
  desk.addKnown([[schedule, 'Person 0']]);
  expect(desk.compare(holding(present.root))).toMatchObject({ rows: 2, moved: 1 });
  expect(desk.changes(0, 9)).toEqual([
    { ...row(0), from: schedule, what: 'Address changed', amounts: '', isUnusual: false },
    { ...row(0), what: 'Raise of 25 %', amounts: '80.00 → 100.00 USDC', isUnusual: false },
  ]);
});

it('makes the list whose copy and proposal it saves, and takes back no other', async () => {
  const desk = new PayrollDesk();
  await desk.open(payroll(['100', '50']), RULES);
  const { root, total, recipients } = desk.makeList(undefined);
  const [copy, proposed] = [desk.copy(schedule), desk.proposal(schedule)];
  const { publicKey } = await crypto.subtle.generateKey({ name: 'ECDH', namedCurve: 'P-256' }, true, ['deriveBits']);
  const sealed = await desk.registration(schedule, await crypto.subtle.exportKey('jwk', publicKey));
  expect(sealed.type).toBe(SEALED_TYPE);
  // A compact JWE for each piece, and nothing else.
  expect(await sealed.text()).toMatch(/^([\w-]+\.\.[\w-]+\.[\w-]+\.[\w-]+\n)+$/);

  const later = new PayrollDesk();
  expect(await later.openCopy(copy, 'copy.json', root)).toEqual({ kind: 'list', root, total, recipients, held: [] });
  expect(await later.openCopy(copy, 'copy.json', new Uint8Array(32))).toMatchObject({ kind: 'refused' });
  expect(await later.openCopy(new Blob(['{']), 'copy.json', root)).toMatchObject({ kind: 'refused' });

  const proposal = { kind: 'schedule', root, amount: total, recipients: 2, held: [0] } as unknown as Proposal;
  const waiting = { schedule: { root } as unknown as Schedule, proposal, token: TOKEN };
  expect(await later.openProposal(proposed, 'proposal.json', waiting)).toMatchObject({
    kind: 'proposal',
    rows: 2,
    sentences: expect.arrayContaining([expect.stringMatching(/^Held back in it: Person/)]),
  });
  expect(later.changes(0, 1)[0]?.name).toMatch(/^Person/);
  const other = { ...waiting, proposal: { ...proposal, root: new Uint8Array(32) } };
  expect(await later.openProposal(proposed, 'proposal.json', other)).toMatchObject({ kind: 'refused' });
  expect(isSameBytes(root, desk.makeList(new Uint8Array(32)).root)).toBe(false);
});
