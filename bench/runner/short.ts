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

const isSlower = (row: Row, expected: Expected): boolean => worse(row, expected[row.id] as number) > WORSE;

/** Runs a measure until its ratios are good, but not too often; the best of each row that something is expected of. */
async function best(measure: Measure, expected: Expected, isGood: (row: Row) => boolean): Promise<Row[]> {
  const found = new Map<string, Row>();
  for (let run = 0; run < RUNS; run++) {
    const result = await runInChild(measure, measure.short ?? []);
    for (const row of result?.rows ?? []) {
      if (row.ratio === undefined || expected[row.id] === undefined) continue;
      const before = found.get(row.id);
      if (before === undefined || worse(row, before.ratio as number) < 1) found.set(row.id, row);
    }
    if (result !== undefined && [...found.values()].every(isGood)) break;
  }
  return [...found.values()];
}

/**
 * The short form: a few measures at a small size, whose ratios are compared with the committed ones, or written in their place. Returns the
 * exit code.
 */
export async function runShort(update: boolean): Promise<number> {
  const expected = JSON.parse(readFileSync(file, 'utf8')) as Expected;
  const isGood = (row: Row): boolean => update || !isSlower(row, expected);
  const rows: Row[] = [];
  for (const measure of MEASURES.filter(({ short }) => short !== undefined)) {
    console.log(`\n${measure.name} ${(measure.short ?? []).join(' ')}`);
    rows.push(...(await best(measure, expected, isGood)));
  }
  console.log('');
  for (const row of rows) {
    const was = `${update ? 'was' : 'expected'} ${expected[row.id]}`;
    console.log(`${isGood(row) ? '✓' : '✖'} ${row.measure}, ${row.limitName}: ${row.ratio?.toPrecision(3)}, ${was}`);
  }
  const lost = Object.keys(expected).filter((id) => !rows.some((row) => row.id === id));
  for (const id of lost) console.log(`✖ ${id}: not measured`);
  if (update && lost.length === 0) {
    const ratios = rows.map(({ id, ratio }) => [id, Number((ratio as number).toPrecision(3))]);
    writeFileSync(file, `${JSON.stringify(Object.fromEntries(ratios), null, 2)}\n`);
  }
  return rows.every(isGood) && lost.length === 0 ? 0 : 1;
}
