import { type Anomaly, answered, callsOf, type Facts, sumOf } from './model.ts';

/** A withdrawal that was taken arrives once, one that was refused never, and one of which nobody knows at most once. */
export function checkWithdrawals({ operations, state, healed }: Facts): Anomaly[] {
  const found: Anomaly[] = [];
  const last = new Map(answered(operations, 'layer').map(({ asked, answer }) => [asked.mint, answer]));
  for (const { asked, outcome, id } of callsOf(operations, 'withdraw')) {
    const { recipient, wallet, amount, mint } = asked;
    const arrived = sumOf([...state.tokens.values()].filter(({ owner }) => owner === wallet).map((one) => one.amount));
    const most = outcome === 'fail' ? 0 : amount;
    const is = `of the ${amount} that ${recipient} took out`;
    if (arrived > most)
      found.push({ kind: 'double-withdrawal', sentence: `${arrived} ${is} arrived (operation ${id}, ${outcome}).` });
    if (healed === undefined || !last.has(mint)) continue;
    const own = last.get(mint)?.find((each) => each.recipient === recipient)?.underWay ?? [];
    const underWay = sumOf(own.filter((each) => each.wallet === wallet).map((one) => one.amount));
    const taken = outcome === 'ok' ? amount : underWay;
    if (arrived < taken)
      found.push({
        kind: 'lost-withdrawal',
        sentence: `${arrived} ${is} arrived, ${underWay} are under way (operation ${id}, ${outcome}).`,
      });
  }
  return found;
}
