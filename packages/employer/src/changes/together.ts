import type { RecipientList } from '@payouts/client';
import type { TokenPart } from '@payouts/payroll';
import type { Instruction } from '@solana/kit';
import { checkFits } from '../fits.ts';
import { summaryOf } from '../preview.ts';
import type { EmployerSession, OwnVault } from '../session.ts';
import type { PlannedChange } from './change.ts';
import { type CreateTerms, createSchedulePlan, type ListPlan } from './create.ts';
import { type HeldOver, placesOf } from './heldOver.ts';

/** New schedules of what a payroll pays in each token, on the same days. Throws what `createSchedulePlan` throws. */
export async function createSchedulePlans(
  parts: readonly (readonly [OwnVault, Pick<TokenPart, 'lines' | 'total' | 'columns'>])[],
  terms: CreateTerms,
): Promise<ListPlan[]> {
  const plans: ListPlan[] = [];
  for (const [own, part] of parts) {
    const others = plans.reduce((sum, { lamports }) => sum + lamports, 0n);
    plans.push(await createSchedulePlan(own, summaryOf(part), terms, others));
  }
  return plans;
}

/** What promises several lists in one transaction, with those who stay held back in each: all of them or none. Throws `Failure` transaction-too-large or too-many-held. */
export async function promiseTogether(
  { employer }: Pick<EmployerSession, 'employer'>,
  promises: readonly (readonly [Pick<ListPlan, 'instructionsFor'>, RecipientList, HeldOver['staying']])[],
): Promise<Instruction[]> {
  const instructions = await Promise.all(
    promises.map(([planned, list, staying]) => planned.instructionsFor(list, placesOf(staying, list.recipients))),
  );
  checkFits(instructions.flat(), employer.address);
  return instructions.flat();
}

/** Several changes as one: all of them are made or none. Throws `Failure` transaction-too-large. */
export function changedTogether(payer: EmployerSession['employer'], changes: readonly PlannedChange[]): PlannedChange {
  const [only, ...others] = changes;
  if (only !== undefined && others.length === 0) return only;
  const instructions = changes.flatMap(({ steps }) => steps.flat(2));
  checkFits(instructions, payer.address);
  return {
    effects: changes.flatMap(({ effects }) => effects),
    plan: { changes: changes.map(({ plan }) => plan) },
    steps: [[instructions]],
    done: [...new Set(changes.map(({ done }) => done))].join(' '),
    result: { changes: changes.map(({ result }) => result) },
  };
}
