import type { Command } from 'commander';
import { addAudit } from './audit.ts';
import { addBalance } from './balance.ts';
import { addCancel } from './cancel.ts';
import { addCompletion } from './completion.ts';
import { addGovernance } from './governance/index.ts';
import { addHelp } from './help.ts';
import { addHistory } from './history.ts';
import { addLossRecovery } from './lossRecovery.ts';
import { addOperator } from './operator.ts';
import { addOrder } from './order.ts';
import { addReceipt } from './receipt.ts';
import { addRecovery } from './recovery.ts';
import { addRedirect } from './redirect.ts';
import { addRuns } from './runs.ts';
import { addSchedule } from './schedule/index.ts';
import { addSignIn } from './signIn.ts';
import { addUse } from './use.ts';
import { addVault } from './vault.ts';
import { addWallets } from './wallets.ts';
import { addWatch } from './watch.ts';
import { addWebhookCommands } from './webhook.ts';
import { addWithdraw } from './withdraw.ts';

type Add = (program: Command) => void;

/** Everything that `payout` can be told to do, by whom it is for, in the order in which its help names it. */
export const COMMANDS: readonly (readonly [group: string, commands: readonly Add[]])[] = [
  ['For recipients:', [addBalance, addHistory, addWithdraw, addWallets, addRedirect, addCancel, addOrder, addRecovery]],
  ['For employers and approvers:', [addVault, addSchedule, addRuns, addWebhookCommands]],
  ['For everybody:', [addWatch, addReceipt, addSignIn]],
  ['For auditors, and employers who let them look:', [addAudit]],
  ['If the execution layer is lost:', [addLossRecovery]],
  ['For operators and governance:', [addOperator, addGovernance]],
  ['This command:', [addUse, addHelp, addCompletion]],
];
