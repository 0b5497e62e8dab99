// node spy.ts EVIDENCE: prints what can be claimed from a folder of evidence, as JSON. Knows nothing else.
import { balances } from './attacks/balances.ts';
import { exit } from './attacks/exit.ts';
import { leaves } from './attacks/leaves.ts';
import { liabilities } from './attacks/liabilities.ts';
import { linkage } from './attacks/linkage.ts';
import { lookups } from './attacks/lookups.ts';
import { plainText } from './attacks/plainText.ts';
import { publicAnswers } from './attacks/publicAnswers.ts';
import { sizes } from './attacks/sizes.ts';
import { timing } from './attacks/timing.ts';
import { trees } from './attacks/trees.ts';
import type { Attack, Claim, Result } from './claim.ts';
import { readEvidence } from './evidence.ts';

/** In an order in which each can use what those before it claim. */
const ATTACKS: readonly (readonly [string, Attack])[] = [
  ['leaves', leaves],
  ['liabilities tree', liabilities],
  ['balance addresses', balances],
  ['whole trees', trees],
  ['who is asked for', lookups],
  ['linkage', linkage],
  ['timing', timing],
  ['sizes', sizes],
  ['exit amounts', exit],
  ['plain text', plainText],
  ['public answers', publicAnswers],
];

const evidence = readEvidence(process.argv[2] ?? '');
const known: Claim[] = [];
const results: Result[] = [];
for (const [attack, act] of ATTACKS) {
  const began = performance.now();
  const outcome = act(evidence, known);
  known.push(...outcome.claims);
  results.push({ attack, ...outcome, seconds: (performance.now() - began) / 1_000 });
}
process.stdout.write(JSON.stringify(results));
