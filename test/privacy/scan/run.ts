// npm run privacy:scan FOLDER: looks for every secret of a recorded test run in everything that the run let out. Exit 0: nothing found.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RECORD_KINDS } from '@payouts/testing/record';
import { Finder, type Form } from './finder.ts';
import { formsOf } from './forms.ts';

const MEGABYTE = 2 ** 20;
/** Finds that are named one by one. */
const NAMED = 20;

const [folder, ...flags] = process.argv.slice(2);
if (folder === undefined || !existsSync(folder)) {
  console.error('✖ Name the folder that PAYOUTS_TEST_RECORD named during the tests.');
  process.exit(2);
}
/** Part of a test run need not have recorded everything. */
const isPart = flags.includes('--part');

const filesOf = (kind: string): string[] => {
  const path = join(folder, kind);
  return existsSync(path) ? readdirSync(path).map((name) => join(path, name)) : [];
};

const finder = new Finder();
const secrets = new Set<string>();
/** One form of each secret, to be found in a text of them. */
const planted: Buffer[] = [];
for (const file of filesOf('secrets')) {
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    const [what = '', text = ''] = line.split('\t');
    if (text === '' || secrets.has(line)) continue;
    const forms = formsOf(what, text);
    if (forms.length === 0) continue;
    secrets.add(line);
    for (const form of forms) finder.add(form, what);
    planted.push((forms[secrets.size % forms.length] as Form).bytes);
  }
}

function refuse(sentence: string): never {
  console.error(`✖ ${sentence}`);
  process.exit(1);
}

if (secrets.size === 0) refuse('No secrets were recorded: there is nothing to look for.');

// A search that finds nothing must be one that finds something.
const seeded = Buffer.concat(planted.flatMap((form) => [Buffer.from(' text '), form]));
let missed = planted.length;
const places = new Set<number>();
for (const { at } of finder.scan(seeded)) places.add(at);
for (let at = 0, turn = 0; turn < planted.length; turn++) {
  at += ' text '.length;
  if (places.has(at)) missed -= 1;
  at += (planted[turn] as Buffer).length;
}
if (missed > 0) refuse(`The search is broken: ${missed} of ${planted.length} planted secrets were not found.`);

/** In which column of a database, as dump.ts names it before each value; never what it says. */
function columnAt(content: Buffer, at: number): string {
  const line = content.subarray(content.lastIndexOf('\n', at) + 1, at).toString('latin1');
  const [, column] = /^([\w".]+): /.exec(line) ?? [];
  return column === undefined ? '' : `, ${column}`;
}

let bytes = 0;
let found = 0;
for (const kind of RECORD_KINDS) {
  let of = 0;
  for (const file of filesOf(kind)) {
    const content = readFileSync(file);
    of += content.length;
    for (const { what, at } of finder.scan(content)) {
      found += 1;
      if (found <= NAMED) console.error(`✖ ${kind}: ${what} at ${at} of ${file}${columnAt(content, at)}`);
    }
  }
  if (of === 0 && !isPart) refuse(`Nothing was recorded of kind ${kind}.`);
  console.log(`  ${kind}: ${(of / MEGABYTE).toFixed(1)} MB`);
  bytes += of;
}
if (bytes === 0) refuse('Nothing was recorded.');
console.log(
  `  ${secrets.size} secrets in ${finder.count} forms, ${(bytes / MEGABYTE).toFixed(1)} MB searched, ` +
    `${planted.length} planted ones found, ${found} others`,
);
process.exit(found === 0 ? 0 : 1);
