import { saveReconciled } from '../store/queries/reconcile.ts';
import type { Difference } from './compare.ts';
import { compareFrom, type RoundInput, type Step } from './round.ts';

/** What a comparison of everything that is registered with both ledgers has found. */
export type ComparisonResult = {
  /** How many were compared. */
  readonly counts: Record<Step['part'], number>;
  readonly healed: Difference[];
  readonly remaining: Difference[];
  hasLayer: boolean;
  /** False: the base ledger's node lists no accounts, so schedules that are not registered were not looked for. */
  hasList: boolean;
  /** False: it was ended before everything was compared. */
  isComplete: boolean;
};

export type CompareOptions = {
  /** Whether windows of which the ledger's node does not tell are asked for no more. */
  readonly acceptsGaps?: boolean;
  /** Ends the comparison behind the step under way. */
  readonly enough?: AbortSignal;
};

/** Compares everything that is registered with both ledgers, and fixes it if there is a healer. Throws `RunError`. */
export async function compareAll(
  input: RoundInput,
  { acceptsGaps = false, enough }: CompareOptions = {},
): Promise<ComparisonResult> {
  const found: ComparisonResult = {
    counts: { schedules: 0, vaults: 0, tokens: 0, unregistered: 0 },
    healed: [],
    remaining: [],
    hasLayer: true,
    hasList: true,
    isComplete: true,
  };
  for await (const step of compareFrom(input)) {
    found.counts[step.part] += step.count;
    found.healed.push(...step.healed);
    found.remaining.push(...(acceptsGaps ? await withoutGaps(input, step) : step.remaining));
    found.hasLayer &&= step.hasLayer;
    found.hasList &&= step.hasList;
    if (enough?.aborted) return { ...found, isComplete: false };
  }
  return found;
}

async function withoutGaps({ database }: RoundInput, { gaps, remaining }: Step): Promise<Difference[]> {
  await saveReconciled(database, gaps);
  const accepted = new Set(gaps.map(({ schedule }) => schedule));
  return remaining.filter(
    ({ kind, address }) => !(accepted.has(address) && (kind === 'run-missing' || kind === 'run-differs')),
  );
}

/** What a difference is about: a schedule, vault or token, or a run as the log names it. */
export const nameOf = ({ address, window }: Difference): string =>
  window === undefined ? address : `${address}:${window}`;

/** What was found, as the command prints it and the API answers it. */
export function resultJson({ counts, healed, remaining, hasLayer, hasList }: ComparisonResult) {
  const { schedules, vaults, tokens } = counts;
  const view = (isHealed: boolean) => (difference: Difference) => ({
    kind: difference.kind,
    about: nameOf(difference),
    detail: difference.detail ?? null,
    isHealed,
  });
  return {
    compared: { schedules, vaults, tokens },
    isLayerCompared: hasLayer,
    isUnregisteredSearched: hasList,
    differences: [...healed.map(view(true)), ...remaining.map(view(false))],
  };
}
