// npm run check:findable: whether a newcomer's search leads to the code that answers them. A search is `grep -rni WORD packages program`,
// piped through `grep -i` for each further word; files rank by how many lines are left. The answer must be among the first ten.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './setup.mjs';

const FIRST = 10;
const SRC = 'packages/coordinator/src';
/** A question, two searches for it, and the file that answers it. */
const QUESTIONS = [
  [
    'Where is a recipient paid at most once?',
    ['paid bitmap', 'already paid'],
    'program/src/instructions/claim_payment.rs',
  ],
  ['What happens when PostgreSQL is away?', ['database outage', 'database unavailable'], `${SRC}/store/db/outage.ts`],
  ['Who settles?', ['settlement leader', 'settlement queue'], `${SRC}/liabilities/settlementQueue.ts`],
  ['Where is the liabilities root recorded?', ['record liabilities', 'record root'], `${SRC}/liabilities/recorder.ts`],
  ['How is a setting added?', ['setting default', 'environment variable'], `${SRC}/config/specs.ts`],
  [
    "Where is a request's signature verified?",
    ['verify signature', 'http message signatures'],
    `${SRC}/http/signatures/verify.ts`,
  ],
  ["How is a dead process's work taken over?", ['take over', 'dead process'], `${SRC}/store/db/leases.ts`],
  ['How does a process show that it is alive?', ['lease expired', 'renew lease'], `${SRC}/store/queries/leases.ts`],
  ['How are recipient lists encrypted?', ['encrypt list', 'list key'], `${SRC}/store/crypto/listKey.ts`],
  ['Where are due windows found?', ['due window', 'poll due'], `${SRC}/runs/poller.ts`],
  ['When is a failed stage retried?', ['retry policy', 'retry backoff'], `${SRC}/domain/backoff.ts`],
  [
    'Is a transaction stored before it is sent?',
    ['transaction stored', 'send transaction again'],
    `${SRC}/ledger/send.ts`,
  ],
];

const lines = execFileSync('git', ['ls-files', 'packages', 'program'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((path) => /\.(ts|tsx|rs|sql)$/.test(path))
  .map((path) => [
    path,
    readFileSync(join(root, path), 'utf8')
      .split('\n')
      .map((line) => `${path}:${line}`.toLowerCase()),
  ]);

/** Paths that a search finds, the best first. */
function search(text) {
  const words = text.split(' ');
  return lines
    .map(([path, all]) => ({ path, hits: all.filter((line) => words.every((word) => line.includes(word))).length }))
    .filter(({ hits }) => hits > 0)
    .sort((one, other) => other.hits - one.hits)
    .map(({ path }) => path);
}

let lost = 0;
for (const [question, searches, answer] of QUESTIONS) {
  const places = searches.map((text) => search(text).indexOf(answer) + 1);
  const isFound = places.every((place) => place > 0 && place <= FIRST);
  if (!isFound) lost += 1;
  if (process.argv.includes('--all')) for (const text of searches) console.log(text, search(text).slice(0, 12));
  const told = searches.map((text, index) => `"${text}" ${places[index] === 0 ? 'not found' : `at ${places[index]}`}`);
  console.log(`${isFound ? '✓' : '✖'} ${question} ${answer}: ${told.join(', ')}`);
}
console.log(`${QUESTIONS.length} questions, ${lost} whose answer is not among the first ${FIRST} files`);
process.exitCode = lost === 0 ? 0 : 1;
