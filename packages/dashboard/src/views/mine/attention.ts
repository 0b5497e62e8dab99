import { tokenText } from '@payouts/pages/format/amount';
import type { Schedule } from '../../api/types.ts';
import { tokenOf } from '../../format/token.ts';

/** What is short where no money is: fees. */
const NO_FEES = '0';

/** What an employer should do something about, a sentence each. */
export function attentionOf(schedule: Schedule): readonly string[] {
  const { registration, status, proposal, funding, executionsLeft, keeps } = schedule;
  const isOver = status === 'cancelled' || status === 'completed';
  const shortfall = funding?.shortfall?.isPromised === true ? funding.shortfall.amount : undefined;
  return [
    ...(registration.state === 'list-missing' && !isOver
      ? ['the coordinator has not its list, so nobody is paid.']
      : []),
    ...(proposal === null ? [] : ['something waits for the approver.']),
    ...(shortfall === undefined || shortfall === NO_FEES
      ? []
      : [`its vault lacks ${tokenText(shortfall, tokenOf(schedule))}.`]),
    ...(shortfall === NO_FEES ? ['the fees of its next pay runs are not prepaid. Add pay runs to go on.'] : []),
    ...(status === 'active' && executionsLeft === 1 && keeps === 0
      ? ['its last pay run comes next. Add pay runs to go on.']
      : []),
    ...(status === 'paused' ? ['it is paused, and pays nobody until you resume it.'] : []),
    ...(isOver ? ['it has ended. Close it, and its rent comes back.'] : []),
  ];
}
