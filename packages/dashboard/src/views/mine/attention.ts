import { tokenText } from '@payouts/pages/format/amount';
import type { Schedule } from '../../api/types.ts';
import { tokenOf } from '../../format/token.ts';

/** What an employer should do something about, a sentence each. */
export function attentionOf(schedule: Schedule): readonly string[] {
  const { registration, status, proposal, funding, executionsLeft } = schedule;
  const isOver = status === 'cancelled' || status === 'completed';
  const shortfall = funding?.shortfall?.isPromised === true ? funding.shortfall.amount : undefined;
  return [
    ...(registration.state === 'list-missing' && !isOver
      ? ['the coordinator has not its list, so nobody is paid.']
      : []),
    ...(proposal === null ? [] : ['something waits for the approver.']),
    ...(shortfall === undefined ? [] : [`its vault lacks ${tokenText(shortfall, tokenOf(schedule))}.`]),
    ...(status === 'active' && executionsLeft === 1 ? ['its last pay run comes next. Add pay runs to go on.'] : []),
    ...(status === 'paused' ? ['it is paused, and pays nobody until you resume it.'] : []),
    ...(isOver ? ['it has ended. Close it, and its rent comes back.'] : []),
  ];
}
