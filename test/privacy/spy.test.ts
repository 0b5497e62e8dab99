import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADVERSARIES, ADVERSARY_NAMES, type AdversaryName } from './spy/adversaries.ts';
import { likelihood } from './spy/chance.ts';
import { learnedOf, newFolder, type Ran, type Report, run, spy, WITHIN_MS } from './spy/commands.ts';
import { FACTS, type Measured } from './spy/facts.ts';
import { confirmed, type Verdict } from './spy/judge.ts';
import { PLANTS } from './spy/plants.ts';
import { SPY_PLANTS } from './spy/spyPlants.ts';

const PAGE = fileURLToPath(new URL('../../docs/concepts/adversaries.md', import.meta.url));

type Facts = Readonly<Record<AdversaryName, readonly Measured[]>>;
const learnedBy = (facts: Facts, name: AdversaryName, fact: string) => facts[name].find(({ what }) => what === fact);

/** One world with salts, which lives once; the others look at what is left of it, beside each other. */
let spied: Ran<Report>;
let adversaries: Ran<Facts>;
let plantedForAdversaries: Ran<Facts>;
let plantedForSpy: Ran<Report>;
beforeAll(async () => {
  const world = newFolder();
  spied = await spy(world);
  console.log(spied.output);
  [adversaries, plantedForAdversaries, plantedForSpy] = await Promise.all([
    run<Facts>(world, 'facts.json', '--as', 'all', '--from', world),
    run<Facts>(world, 'planted-facts.json', '--as', 'all', '--plant', '--from', world),
    run<Report>(world, 'planted-report.json', '--plant', '--from', world),
  ]);
  for (const { output } of [adversaries, plantedForAdversaries, plantedForSpy]) console.log(output);
}, WITHIN_MS);

describe('a spy who is given everything that the service lets out', () => {
  it('learns nothing of who is paid by whom, how much and in what order', () => {
    expect(spied.left.verdicts.filter(({ learned }) => learned > 0)).toEqual([]);
    expect(spied.left.named.employer).toBe(0);
    // It has tried: statistics are only as good as there are claims.
    expect(spied.left.verdicts.find(({ kind }) => kind === 'digits')?.claims).toBeGreaterThan(20);
    expect(spied.left.verdicts.find(({ attack, kind }) => attack === 'timing' && kind === 'payer')?.claims).toBe(9);
  });

  it('is shown no page, no account of others and no claim by the layer, and no balance, however it is asked for', () => {
    expect(spied.left.looked['what the layer shows']).toBe('0 pages, 0 personal accounts, 0 claimed leaves');
    expect(spied.left.looked['what the layer is asked to show']).toMatch(/^42 balances asked for in 7 ways$/);
    // The permissions are shown to everybody, and name nobody.
    expect(spied.left.looked['who is named in the layer']).toMatch(/^[1-9]\d* accounts of [2-9] programs$/);
    const attacks = [
      'page addresses',
      'what the layer shows',
      'who is named in the layer',
      'what the layer is asked to show',
    ];
    for (const attack of attacks) {
      expect(learnedOf(spied, attack)).toBe(0);
    }
  });

  it('learns nothing from whom the layer asks the base ledger for', () => {
    expect(learnedOf(spied, 'who is asked for')).toBe(0);
    expect(spied.left.looked['who is asked for']).toMatch(/among [1-9]\d+ addresses/);
  });

  it('ends with what it learned', () => {
    expect(spied.output.trimEnd().split('\n').at(-1)).toBe('learned: 0');
    expect(spied.status).toBe(0);
  });
});

describe('five adversaries in the same world', () => {
  it.each(ADVERSARY_NAMES)('%s learns what the page admits, and nothing else', (name) => {
    expect(adversaries.left[name].filter(({ isAsSaid }) => !isAsSaid)).toEqual([]);
    expect(adversaries.left[name]).toHaveLength(FACTS.length);
  });

  it('have something to learn of every fact', () => {
    for (const { what, of } of adversaries.left['public-observer']) expect(of, what).toBeGreaterThan(0);
    expect(adversaries.status).toBe(0);
  });
});

describe('a leak planted for each adversary', () => {
  it.each(ADVERSARY_NAMES)('%s finds it', (name) => {
    const { fact } = PLANTS[name];
    expect(learnedBy(plantedForAdversaries.left, name, fact)).toMatchObject({ admitted: 'no', isAsSaid: false });
    expect(plantedForAdversaries.status).toBe(1);
  });
});

describe('a leak planted for each attack', () => {
  afterAll(() => expect(plantedForSpy.status).toBe(1));

  it.each(Object.keys(SPY_PLANTS))('is found by the one upon %s', (attack) => {
    expect(learnedOf(plantedForSpy, attack)).toBeGreaterThan(0);
  });
});

it('says of every fact what the page says', () => {
  const page = readFileSync(PAGE, 'utf8');
  const rows = page
    .split('\n')
    .filter((line) => /^\| .* \| (all|some|no|given) \|/.test(line))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
  expect(rows).toEqual(FACTS.map(({ what, admitted }) => [what, ...admitted]));
  const head = page.split('\n').find((line) => line.startsWith('| fact |'));
  expect(
    head
      ?.split('|')
      .slice(2, -1)
      .map((cell) => cell.trim()),
  ).toEqual(ADVERSARY_NAMES.map((name) => ADVERSARIES[name].title));
});

describe('the judge', () => {
  it('takes what blind guesses reach for chance', () => {
    expect(likelihood([0.5, 0.5], 2)).toBeCloseTo(0.25);
    expect(likelihood([0.5, 0.25], 1)).toBeCloseTo(0.625);
    expect(likelihood([], 0)).toBe(1);
    expect(likelihood(Array(20).fill(1 / 3), 7)).toBeGreaterThan(0.4);
    expect(likelihood(Array(20).fill(1 / 3), 17)).toBeLessThan(0.00001);
  });

  it('takes guesses that were right in one world for luck, in two for knowledge, and proofs always', () => {
    const zero = { attack: 'timing', claims: 12, right: 12, byChance: 6, isPublic: 0, careless: 0, known: [] };
    const guess: Verdict = { ...zero, kind: 'order', learned: 12, isGuess: true };
    const proof: Verdict = { ...zero, kind: 'paid-by', learned: 12, isGuess: false };
    expect(confirmed([guess, proof], [{ ...guess, right: 6, learned: 0, isGuess: false }])).toEqual([
      { ...guess, learned: 0, isGuess: false },
      proof,
    ]);
    expect(confirmed([guess], [guess])).toEqual([guess]);
  });
});
