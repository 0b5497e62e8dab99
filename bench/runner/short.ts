import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { runInChild } from './child.ts';
import type { Measure, Row } from './measure.ts';
import { MEASURES } from './measures.ts';

/** A ratio may get so many times worse: what falls by a third is less than two thirds, what rises is more than half as much again. */
const WORSE = 3 / 2;
/** Times that a measure is run at the most; the best ratio of each row counts. */
const RUNS = 3;

const file = fileURLToPath(new URL('../expected.json', import.meta.url));

type Expected = Readonly<Record<string, number>>;

/** How many times worse a row's ratio is than another. */
function worse({ goal, ratio }: Row, than: number): number {
  const isMoreBetter = goal?.least !== undefined;
  return isMoreBetter ? than / (ratio as number) : (ratio as number) / than;
}

/** Whether a row's ratio is that much worse than expected; of one that is not expected nothing is known. */
const isSlower = (row: Row, expected: Expected): boolean =>
  worse(row, expected[row.id] ?? (row.ratio as number)) > WORSE;

/** Runs a measure until its ratios are as good as expected, but not too often; the best of each row. */
async function best(measure: Measure, expected: Expected): Promise<Row[]> {
  const found = new Map<string, Row>();
  for (let run = 0; run < RUNS; run++) {
    const result = await runInChild(measure, measure.short ?? []);
    for (const row of result?.rows ?? []) {
      if (row.ratio === undefined || row.goal === undefined) continue;
      const before = found.get(row.id);
      if (before === undefined || worse(row, before.ratio as number) < 1) found.set(row.id, row);
    }
    const isGood = found.size > 0 && ![...found.values()].some((row) => isSlower(row, expected));
    if (isGood) break;
  }
  return [...found.values()];
}

/** The short form: a few measures at a small size, whose ratios are compared with the committed ones. Returns the exit code. */
export async function runShort(update: boolean): Promise<number> {
  const expected: Expected = update ? {} : (JSON.parse(readFileSync(file, 'utf8')) as Expected);
  const rows: Row[] = [];
  for (const measure of MEASURES.filter(({ short }) => short !== undefined)) {
    console.log(`\n${measure.name} ${(measure.short ?? []).join(' ')}`);
    rows.push(...(await best(measure, expected)));
  }
  if (update) {
    const ratios = rows.map(({ id, ratio }) => [id, Number((ratio as number).toPrecision(3))]);
    writeFileSync(file, `${JSON.stringify(Object.fromEntries(ratios), null, 2)}\n`);
    return 0;
  }
  const lost = Object.keys(expected).filter((id) => !rows.some((row) => row.id === id));
  const slower = rows.filter((row) => isSlower(row, expected));
  console.log('');
  for (const row of rows) {
    const sign = slower.includes(row) ? '✖' : '✓';
    console.log(`${sign} ${row.measure}: ${row.ratio?.toPrecision(3)}, expected ${expected[row.id] ?? 'nothing'}`);
  }
  for (const id of lost) console.log(`✖ ${id}: not measured`);
  return slower.length + lost.length > 0 ? 1 : 0;
}
