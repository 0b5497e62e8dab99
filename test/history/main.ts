// npm run history -- [--minutes N] [--seed S] [--fault NAME]… [--planted NAME] [--share] [--check FILE]
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { keepLogsOf } from '../faults/keepLogs.ts';
import { check } from './check/check.ts';
import type { History } from './events.ts';
import { FAULTS, type Fault } from './nemesis.ts';
import { PLANTED, type Planted, type PlantedName, plant } from './planted.ts';
import { play } from './play.ts';
import { Recorder, readHistory } from './record.ts';
import { Stage } from './stage.ts';

const MINUTE = 60_000;
/** Minutes: of the gate's share, with a planted bug, and as a rule. */
const MINUTES = { share: 0.75, planted: 1, all: 2 };
/** Milliseconds in which everything comes to rest with most planted bugs. */
const PLANTED_REST_MS = 75_000;
/** Anomalies that are printed, of each kind. */
const SHOWN = 5;
const kept = fileURLToPath(new URL('../../.test/history', import.meta.url));

const { values } = parseArgs({
  options: {
    minutes: { type: 'string' },
    seed: { type: 'string', default: '1' },
    fault: { type: 'string', multiple: true },
    planted: { type: 'string' },
    share: { type: 'boolean', default: false },
    check: { type: 'string' },
  },
});

function refuse(sentence: string): never {
  console.error(`✖ ${sentence}`);
  process.exit(2);
}

const numberOf = (name: string, text: string, pattern: RegExp): number =>
  pattern.test(text) ? Number(text) : refuse(`--${name} takes a number: ${text} is none.`);
const seed = numberOf('seed', values.seed, /^[0-9]{1,9}$/);
const usual = values.share ? MINUTES.share : values.planted === undefined ? MINUTES.all : MINUTES.planted;
const minutes = numberOf('minutes', values.minutes ?? String(usual), /^[0-9]{1,4}(\.[0-9]{1,3})?$/);
if (values.planted !== undefined && !(values.planted in PLANTED))
  refuse(`There is no planted bug "${values.planted}": choose ${Object.keys(PLANTED).join(', ')}.`);

for (const name of values.fault ?? []) {
  if (!(FAULTS as readonly string[]).includes(name))
    refuse(`There is no fault "${name}": choose ${FAULTS.join(', ')}.`);
}

/** Prints what is wrong in a history, and the last line; returns whether nothing is. */
function judge(history: History): boolean {
  const anomalies = check(history);
  for (const kind of new Set(anomalies.map((each) => each.kind))) {
    const same = anomalies.filter((each) => each.kind === kind);
    for (const { sentence } of same.slice(0, SHOWN)) console.error(`✖ ${kind}: ${sentence}`);
    if (same.length > SHOWN) console.error(`✖ ${kind}: and ${same.length - SHOWN} more`);
  }
  const count = (wanted: string) => history.filter(({ kind }) => kind === wanted).length;
  const ends = ['ok', 'fail', 'unknown'].map((kind) => `${count(kind)} ${kind}`).join(', ');
  const faults = history.filter((event) => event.kind === 'fault' && event.phase === 'begin').length;
  console.log(`${ends}; ${faults} faults; ${count('ledger')} states of the base ledger`);
  console.log(`${count('invoke')} operations, ${anomalies.length} anomalies`);
  return anomalies.length === 0;
}

if (values.check !== undefined) process.exit(judge(readHistory(values.check)) ? 0 : 1);

const planted: Planted | undefined = values.planted === undefined ? undefined : PLANTED[values.planted as PlantedName];
if (planted !== undefined) console.log(`planted: ${planted.about}`);
const faults = (values.fault as Fault[] | undefined) ?? planted?.faults;
mkdirSync(kept, { recursive: true });
const recorder = new Recorder(join(kept, `${values.planted ?? 'run'}-${seed}.jsonl`));
const began = performance.now();
const program = planted && plant(planted);
const stage = await Stage.start(program);
let isFine = false;
try {
  console.log(`three coordinators after ${((performance.now() - began) / 1_000).toFixed(0)} s; seed ${seed}`);
  await play(stage, recorder, {
    ...{ seed, milliseconds: minutes * MINUTE, say: console.log },
    ...(faults && { faults }),
    // A bug that keeps anything from coming to rest is not waited for as long.
    ...(planted && { restMs: PLANTED_REST_MS }),
  });
  console.log(`${((performance.now() - began) / 1_000).toFixed(0)} s`);
  isFine = judge(recorder.history);
  if (!isFine) console.error(`logs: ${await keepLogsOf(stage.world)}; history: ${recorder.path}`);
} finally {
  await stage.stop();
  recorder.close();
}
process.exit(isFine ? 0 : 1);
