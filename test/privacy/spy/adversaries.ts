import type { Evidence } from './evidence.ts';

/** Who might want to know, and what of the evidence each has. Everybody has a list of who may be paid, and is somebody's colleague. */
const PUBLIC = ['answers', 'metrics', 'transactions', 'layer', 'candidates', 'colleague'] as const;
const HOST = ['log', 'dump', 'backup', 'environment'] as const;
type Source = keyof Evidence;

export type Adversary = {
  readonly title: string;
  readonly sources: readonly Source[];
  /** Which of the keys. */
  readonly keys: readonly (keyof Evidence['keys'])[];
};

export const ADVERSARIES = {
  'public-observer': { title: 'public observer', sources: PUBLIC, keys: [] },
  'chain-analyst': { title: 'chain analyst', sources: [...PUBLIC, 'staff'], keys: [] },
  'network-observer': { title: 'network observer', sources: [...PUBLIC, 'sizes', 'reads'], keys: [] },
  insider: { title: 'insider', sources: [...PUBLIC, ...HOST], keys: [] },
  'insider-with-keys': { title: 'insider with keys', sources: [...PUBLIC, ...HOST], keys: ['payload'] },
  'future-adversary': {
    title: 'future adversary',
    sources: [...PUBLIC, 'sizes', 'reads', 'traffic', 'dump', 'backup', 'later'],
    keys: ['later', 'employers', 'tls'],
  },
} as const satisfies Readonly<Record<string, Adversary>>;

export type AdversaryName = keyof typeof ADVERSARIES;
export const ADVERSARY_NAMES = Object.keys(ADVERSARIES) as AdversaryName[];

/** What docs/concepts/adversaries.md says that somebody learns of a fact. `given`: it is where they begin. */
export type Admitted = 'all' | 'some' | 'no' | 'given';

/** The evidence without what somebody doesn't have. */
export function sightOf(evidence: Evidence, name: AdversaryName): Evidence {
  const { sources, keys }: Adversary = ADVERSARIES[name];
  const without = (source: Source) => (Buffer.isBuffer(evidence[source]) ? Buffer.alloc(0) : []);
  const seen = (Object.keys(evidence) as Source[]).map((source) => [
    source,
    sources.includes(source) ? evidence[source] : without(source),
  ]);
  const known = Object.fromEntries(keys.map((key) => [key, evidence.keys[key]]));
  return { ...(Object.fromEntries(seen) as Evidence), keys: known };
}
