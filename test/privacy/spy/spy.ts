// node spy.ts EVIDENCE [ADVERSARY…]: prints what can be claimed from a folder of evidence, as JSON: by the spy, or by each adversary. Knows nothing else.
import { type AdversaryName, sightOf } from './adversaries.ts';
import { ADVERSARIES_ATTACKS, ATTACKS, type NamedAttack } from './attacks.ts';
import type { Claim, Result } from './claim.ts';
import { type Evidence, readEvidence } from './evidence.ts';

const [folder = '', ...names] = process.argv.slice(2);
/** What came of the attacks that find the same for everybody. */
const done = new Map<string, Result>();

async function attackAll(attacks: readonly NamedAttack[], evidence: Evidence): Promise<Result[]> {
  const known: Claim[] = [];
  const results: Result[] = [];
  for (const { name, act, isPublic } of attacks) {
    const began = performance.now();
    // Salts are guessed by more than what is public where employers' secrets are known.
    const [former] = evidence.keys.employers === undefined ? [done.get(name)] : [];
    const result = former ?? { attack: name, ...(await act(evidence, known)), seconds: 0 };
    if (isPublic) done.set(name, result);
    known.push(...result.claims);
    results.push({ ...result, seconds: (performance.now() - began) / 1_000 });
  }
  return results;
}

const evidence = readEvidence(folder);
const by: Record<string, Result[]> = {};
if (names.length === 0) by.spy = await attackAll(ATTACKS, { ...evidence, keys: {}, staff: [] });
for (const name of names) by[name] = await attackAll(ADVERSARIES_ATTACKS, sightOf(evidence, name as AdversaryName));
process.stdout.write(JSON.stringify(by));
