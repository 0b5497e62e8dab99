import { isUnsupported } from '../domain/errors.ts';
import type { Alive } from '../platform/watchedRound.ts';
import { findKnownAfter, type Reconciled, saveReconciled } from '../store/queries/reconcile.ts';
import { type Compared, type Difference, reconciledUpTo } from './compare.ts';
import {
  type Comparison,
  type ComparisonInput,
  compareSchedules,
  compareTokens,
  compareUnregistered,
  compareVaults,
  findUnregistered,
  HOLDINGS_AT_ONCE,
  SCHEDULES_AT_ONCE,
} from './compareRegistered.ts';
import type { Healer } from './heal.ts';

/** Milliseconds until a difference is looked for again: only what lasts so long is one. A batch is on its way for about two seconds. */
const LASTING_MS = 3_000;

type Find = (input: ComparisonInput, beyond: string, limit: number) => Promise<string[]>;
const registered =
  (column: 'address' | 'vault' | 'mint'): Find =>
  ({ database }, beyond, limit) =>
    findKnownAfter(database, column, beyond, limit);

/** The parts of a round, in order: what is looked at, in order of addresses, how many at once, and how. */
const PARTS = [
  { name: 'schedules', find: registered('address'), atOnce: SCHEDULES_AT_ONCE, look: compareSchedules },
  { name: 'vaults', find: registered('vault'), atOnce: HOLDINGS_AT_ONCE, look: compareVaults },
  { name: 'tokens', find: registered('mint'), atOnce: HOLDINGS_AT_ONCE, look: compareTokens },
  { name: 'unregistered', find: findUnregistered, atOnce: SCHEDULES_AT_ONCE, look: compareUnregistered },
] as const;
type Part = (typeof PARTS)[number];

export type RoundInput = ComparisonInput & {
  /** Undefined: nothing is changed. */
  readonly healer: Healer | undefined;
  readonly pause: (milliseconds: number) => Promise<void>;
  /** Called whenever a part of a step is done; where nobody watches, there is none. */
  readonly alive?: Alive;
};

/** What became of some of a part. */
export type Step = {
  /** Where the round goes on after them. */
  readonly place: string;
  readonly part: Part['name'];
  readonly count: number;
  readonly healed: readonly Difference[];
  readonly remaining: readonly Difference[];
  readonly hasLayer: boolean;
  /** False: the base ledger's node lists no accounts, so what is not registered was not looked for. */
  readonly hasList: boolean;
  /** Schedules with nothing left to reconcile but gaps that the ledger's history does not fill. */
  readonly gaps: readonly Reconciled[];
};

/**
 * Compares everything that is registered with both ledgers, some at a time, from a place on: '' is the beginning. What the base ledger's
 * node does not offer is left out. Throws `RunError` when the base ledger can't be read.
 */
export async function* compareFrom(input: RoundInput, place = ''): AsyncGenerator<Step> {
  const [partName = '', last = ''] = place.split(' ');
  const first = Math.max(
    0,
    PARTS.findIndex(({ name }) => name === partName),
  );
  for (const [number, part] of PARTS.slice(first).entries()) {
    let beyond = number === 0 ? last : '';
    for (;;) {
      const addresses = await part.find(input, beyond, part.atOnce).catch((error: unknown) => {
        if (isUnsupported(error)) return undefined;
        throw error;
      });
      if (addresses === undefined) yield { ...NOTHING_LISTED, place: `${part.name} ${beyond}`, part: part.name };
      if (addresses === undefined || addresses.length === 0) break;
      beyond = addresses.at(-1) as string;
      yield {
        place: `${part.name} ${beyond}`,
        part: part.name,
        count: addresses.length,
        ...(await step(input, part, addresses)),
      };
      if (addresses.length < part.atOnce) break;
    }
  }
}

const NOTHING_LISTED = { count: 0, healed: [], remaining: [], hasLayer: true, hasList: false, gaps: [] };

async function step(
  input: RoundInput,
  part: Part,
  addresses: readonly string[],
): Promise<Omit<Step, 'place' | 'part' | 'count'>> {
  const { healer, database, pause, alive } = input;
  const first = await part.look(input, addresses);
  alive?.();
  const healed: Difference[] = [];
  for (const compared of healer === undefined ? [] : differing(first)) {
    healed.push(...((await healer?.heal(compared, first.differences)) ?? []));
    alive?.();
  }
  if (healed.length < first.differences.length) await pause(LASTING_MS);
  alive?.();
  const again = new Set(first.differences.map(({ address }) => address));
  const second = again.size === 0 ? undefined : await part.look(input, [...again]);
  alive?.();
  const compared = [...first.compared.filter(({ known }) => !again.has(known.address)), ...(second?.compared ?? [])];
  if (healer !== undefined) await saveReconciled(database, done(compared));
  const lasting = new Set(second?.differences.map(nameOf));
  const remaining = first.differences.filter((difference) => lasting.has(nameOf(difference)));
  return {
    healed: healed.filter((difference) => !lasting.has(nameOf(difference))),
    remaining,
    hasLayer: first.hasLayer && second?.hasLayer !== false,
    hasList: true,
    gaps: gapsIn(compared, remaining),
  };
}

const nameOf = ({ kind, address, window }: Difference): string => `${kind} ${address} ${window ?? ''}`;

const differing = ({ compared, differences }: Comparison): Compared[] =>
  compared.filter(({ known }) => differences.some(({ address }) => address === known.address));

const done = (compared: readonly Compared[]): Reconciled[] => compared.flatMap((one) => reconciledUpTo(one) ?? []);

/** Schedules whose past differs, and only in what the ledger does not tell any more. */
function gapsIn(compared: readonly Compared[], remaining: readonly Difference[]): Reconciled[] {
  return compared.flatMap(({ known, schedule }) => {
    const own = remaining.filter(({ address }) => address === known.address);
    const kinds = own.map(({ kind }) => kind);
    const missing = own.flatMap(({ kind, window }) => (kind === 'run-missing' && window !== undefined ? [window] : []));
    const completeFrom = missing.reduce((last, window) => (window >= last ? window + 1n : last), 0n);
    const isGap = kinds.some(isAboutPast) && !kinds.includes('run-not-ended');
    if (schedule === undefined || !isGap) return [];
    const isAtWork = known.runs.some(({ isOver, window }) => !isOver && window < schedule.window);
    const { window: before, paidTotal } = schedule;
    return isAtWork ? [] : [{ schedule: known.address, before, paidTotal, completeFrom }];
  });
}

const isAboutPast = (kind: Difference['kind']): boolean => kind === 'run-missing' || kind === 'run-differs';
