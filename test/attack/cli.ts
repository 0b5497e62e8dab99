// npm run attack -- [--against COMMIT] [--share] [--only TEXT]
import { parseArgs } from 'node:util';
import type { Attack } from './attack.ts';
import { FAMILIES } from './families/index.ts';
import { FLOODS, type Flooded, flooded, keptOut } from './floods/floods.ts';
import { floodLine, lineOf, tableOf } from './report.ts';
import { type Result, runAll } from './run.ts';
import type { Service } from './service.ts';
import { checkout } from './services/checkout.ts';
import { type Attacked, cluster, embedded } from './services/world.ts';

const { values } = parseArgs({
  options: {
    against: { type: 'string' },
    share: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
  },
});

/** Recipients of the list of which reads cost most: a large one, as the review had it. */
const LONG_LIST = 20_000;
/** Milliseconds that a flood lasts. */
const FLOOD_MS = 20_000;
/** Of a share: every eleventh attack, and floods that are short. */
const SHARE = { every: 11, longList: 1_000, floodMs: 2_000 } as const;

const matches = (name: string): boolean => name.includes(values.only);

/** What a run comes to: attacks, and how many of them got something. */
class Tally {
  readonly results: Result[] = [];
  readonly floods: Flooded[] = [];

  async attack(service: Service, isWanted: (attack: Attack) => boolean): Promise<void> {
    let family = '';
    const tell = (result: Result) => {
      if (result.family !== family) console.log(`\n${service.title}: ${result.family}`);
      family = result.family;
      console.log(lineOf(result));
    };
    this.results.push(...(await runAll(service, FAMILIES, isWanted, tell)));
  }

  async flood(service: Service): Promise<void> {
    const wanted = FLOODS.filter((each) => matches(`a flood of ${each}`));
    if (wanted.length === 0) return;
    console.log(`\n${service.title}: floods`);
    const figures: Flooded[] = [];
    for (const each of wanted) {
      const one = await flooded(service, each, values.share ? SHARE.floodMs : FLOOD_MS);
      console.log(floodLine(one));
      figures.push(one);
    }
    console.log(`\n${tableOf(figures)}`);
    this.floods.push(...figures);
  }

  get attacks(): number {
    return this.results.length + this.floods.length;
  }

  get succeeded(): number {
    const found = this.results.filter(({ verdict }) => verdict.outcome !== 'refused').length;
    return found + this.floods.filter((each) => keptOut(each).length > 0).length;
  }
}

async function attackOwn(tally: Tally, start: (longList: number) => Promise<Attacked>): Promise<void> {
  const { service, reopened, stop } = await start(values.share ? SHARE.longList : LONG_LIST);
  try {
    let place = 0;
    const isOfShare = () => !values.share || place++ % SHARE.every === 0;
    await tally.attack(service, ({ name }) => matches(name) && isOfShare());
    const open = await reopened();
    await tally.attack(open, ({ name, needs }) => needs.includes('private-webhooks') && matches(name) && isOfShare());
    await tally.flood(open);
  } finally {
    await stop();
  }
}

async function attackOther(tally: Tally, commit: string): Promise<boolean> {
  console.log(`Starting ${commit}, with its own packages and ledgers: this takes minutes ...`);
  const { service, stop } = await checkout(commit, LONG_LIST);
  try {
    await tally.attack(service, ({ name }) => matches(name));
    await tally.flood(service);
  } finally {
    await stop();
  }
  const succeeded = tally.results.filter(({ verdict }) => verdict.outcome === 'succeeded');
  const floods = tally.floods.filter((each) => keptOut(each).length > 0);
  console.log(`\nSucceeded against ${commit}; * those that a review had found:`);
  for (const { attack, verdict } of succeeded)
    console.log(`${attack.wasFound ? '* ' : '  '}${attack.name}: ${verdict.seen}`);
  for (const each of floods) console.log(`* a flood of ${each.flood}: ${keptOut(each).join('; ')}`);
  // What a signed read costs is an attack of its own: whether many of them keep health waiting depends on the machine.
  const missedFloods = tally.floods.filter((each) => each.flood !== 'signed reads' && keptOut(each).length === 0);
  for (const { flood } of missedFloods)
    console.log(`✖ a review had found, and it does not succeed here: a flood of ${flood}`);
  const missed = tally.results.filter(({ attack, verdict }) => attack.wasFound && verdict.outcome !== 'succeeded');
  for (const each of missed) console.log(`✖ a review had found, and it does not succeed here: ${lineOf(each)}`);
  return missed.length === 0 && missedFloods.length === 0;
}

const tally = new Tally();
let isFine = true;
if (values.against === undefined) {
  for (const start of [embedded, cluster]) await attackOwn(tally, start);
  isFine = tally.succeeded === 0;
} else {
  isFine = await attackOther(tally, values.against);
}
const succeeded =
  values.against === undefined
    ? tally.succeeded
    : tally.results.filter(({ verdict }) => verdict.outcome === 'succeeded').length +
      tally.floods.filter((each) => keptOut(each).length > 0).length;
console.log(`\n${tally.attacks} attacks, ${succeeded} succeeded`);
process.exit(isFine ? 0 : 1);
