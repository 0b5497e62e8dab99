import { isDeepStrictEqual } from 'node:util';
import { decodeEvents, type PayoutEvent } from '@payouts/client';
import type { State } from '@payouts/testing/litesvm/ledger';
import type { Outcome } from '@payouts/testing/litesvm/outcome';
import { LEDGER_PROGRAM, SYSTEM_PROGRAM } from '@payouts/testing/litesvm/programs';
import { must } from '@payouts/testing/litesvm/world';
import type { AccountMeta, Instruction } from '@solana/kit';
import { expect } from 'vitest';
import { type Fixture, type Scene, send } from '../../harness/fixture.ts';
import { accountNames } from '../../negatives/names.ts';
import { type Fields, fieldsOf } from './decode.ts';

/**
 * What became of an account: the fields that changed, each with its value before and after; lamports as a difference. A new account
 * has `created` and those of its fields that are not zero, one that is gone has `removed`.
 */
export type Change = Fields;

/** What a call did: every account that changed, by its name in the call, and the events. */
export interface Effect {
  readonly changes: Readonly<Record<string, Change>>;
  readonly events: PayoutEvent[];
  readonly outcome: Outcome;
}

type Snapshot = readonly (readonly [string, State | undefined])[];

/** Sends a call, which must succeed. */
export function effectOf<S extends Scene>(fixture: Fixture<S>, scene: S, instruction: Instruction): Effect {
  const before = snapshot(fixture, scene, instruction);
  const outcome = must(send(fixture, scene, instruction));
  const after = new Map(snapshot(fixture, scene, instruction));
  const changes: Record<string, Change> = {};
  for (const [name, state] of before) {
    const change = changeOf(state, after.get(name));
    if (change !== undefined) changes[name] = change;
  }
  return { changes, events: decodeEvents(outcome.logs), outcome };
}

/** Prepares a fixture and sends its call. */
export function effectIn<S extends Scene>(fixture: Fixture<S>): Effect & { readonly scene: S } {
  const { scene, instruction } = fixture.prepare();
  return { scene, ...effectOf(fixture, scene, instruction) };
}

/** Sends a call that must fail and change none of its accounts; its error. */
export function refusal<S extends Scene>(fixture: Fixture<S>, scene: S, instruction: Instruction): string | undefined {
  const before = snapshot(fixture, scene, instruction);
  const { failure } = send(fixture, scene, instruction);
  if (failure !== undefined && !isDeepStrictEqual(snapshot(fixture, scene, instruction), before))
    throw new Error(`refused with ${failure}, but something has changed`);
  return failure;
}

/** Sends a fixture's call, and again: the second time it must fail; its error. */
export function refusalOfSecond<S extends Scene>(fixture: Fixture<S>): string | undefined {
  const { scene, instruction } = fixture.prepare();
  effectOf(fixture, scene, instruction);
  return refusal(fixture, scene, instruction);
}

function snapshot<S extends Scene>({ place }: Fixture<S>, { world }: S, instruction: Instruction): Snapshot {
  const ledger = place === 'base' ? world.base : world.layer;
  const names = accountNames(instruction);
  return ((instruction.accounts ?? []) as readonly AccountMeta[]).map(
    ({ address }, at) => [names[at] ?? '', ledger.account(address)] as const,
  );
}

function changeOf(before: State | undefined, after: State | undefined): Change | undefined {
  if (before === undefined) return after === undefined ? undefined : { created: true, ...nonZero(fieldsOf(after)) };
  if (after === undefined) return { removed: true };
  if (isDeepStrictEqual(before, after)) return undefined;
  const [old, now] = [fieldsOf(before), fieldsOf(after)];
  const change: Change = {};
  for (const key of new Set([...Object.keys(old), ...Object.keys(now)])) {
    if (!isDeepStrictEqual(old[key], now[key])) change[key] = [old[key], now[key]];
  }
  if (before.lamports !== after.lamports) change.lamports = after.lamports - before.lamports;
  // Bytes that are no field of ours, such as those of a mint.
  if (Object.keys(change).length === 0) change.data = [before.data, after.data];
  return change;
}

const nonZero = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => !isZero(value)));

function isZero(value: unknown): boolean {
  if (Array.isArray(value) || value instanceof Uint8Array) return value.every((each) => each === 0);
  return value === 0 || value === 0n || value === SYSTEM_PROGRAM;
}

/** What every new account of the ledger program has, beside the fields of its kind. */
export const created = (kind: number, size: number, lamports: unknown = expect.any(BigInt)): Change => ({
  created: true,
  owner: LEDGER_PROGRAM,
  lamports,
  size,
  kind,
  version: 1,
});
