import { type OwnToken, type Part, planWithdrawal, TooLittle } from '@payouts/client';
import { withName } from './amounts.ts';
import { Failure } from './failure.ts';
import { tell } from './output.ts';

/** From which balances an amount is taken. Throws `Failure`: nothing-to-withdraw, withdrawal-pending or insufficient-balance. */
export function plannedWithdrawal(token: OwnToken, amount: bigint | 'all'): Part[] {
  try {
    return planWithdrawal(token, amount);
  } catch (error) {
    if (!(error instanceof TooLittle)) throw error;
    throw tooLittle(token, error);
  }
}

/** Asks for parts one after the other, and says of how many that was done where one fails. Returns what each gave, in their order. */
export async function askInTurn<P, T>(parts: readonly P[], ask: (part: P, at: number) => Promise<T>): Promise<T[]> {
  const asked: T[] = [];
  try {
    for (const [at, part] of parts.entries()) asked.push(await ask(part, at));
  } finally {
    const done = asked.length;
    if (done > 0 && done < parts.length) tell(`${done} of ${parts.length} were asked for: payout balance shows them.`);
  }
  return asked;
}

function tooLittle(token: OwnToken, { held, isUnderWay }: TooLittle): Failure {
  if (isUnderWay) {
    return new Failure(
      'withdrawal-pending',
      `A withdrawal is under way already${held > 0n ? `, and beside it you can take out ${withName(held, token)}` : ''}. ` +
        'Wait until it is paid (payout balance), or send it elsewhere (payout redirect).',
    );
  }
  if (held === 0n) return new Failure('nothing-to-withdraw', `There is nothing to take out of ${token.name}.`);
  return new Failure('insufficient-balance', `You have ${withName(held, token)}: less than that.`);
}
