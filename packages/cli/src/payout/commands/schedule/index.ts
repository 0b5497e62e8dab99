import type { Command } from 'commander';
import { addApprove } from './approve.ts';
import { addClose } from './close.ts';
import { addCreate } from './create.ts';
import { addFund } from './fund.ts';
import { addHold } from './hold.ts';
import { addPayOnce } from './payOnce.ts';
import { addPreview } from './preview.ts';
import { addRegister } from './register.ts';
import { addShow } from './show.ts';
import { addStatus } from './status.ts';
import { addUpdate } from './update.ts';

/** payout schedule … */
export function addSchedule(program: Command): void {
  const schedule = program
    .command('schedule')
    .description('Your recurring payrolls: create, change, fund, pause and end them');
  const parts = [
    addPreview,
    addCreate,
    addPayOnce,
    addUpdate,
    addFund,
    addStatus,
    addHold,
    addClose,
    addApprove,
    addShow,
  ];
  for (const add of [...parts, addRegister]) add(schedule);
}
