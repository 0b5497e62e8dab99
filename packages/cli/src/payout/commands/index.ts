import type { Command } from 'commander';
import { addAudit } from './audit.ts';
import { addBalance } from './balance.ts';
import { addCancel } from './cancel.ts';
import { addCompletion } from './completion.ts';
import { addGovernance } from './governance/index.ts';
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
import { addVault } from './vault.ts';
import { addWatch } from './watch.ts';
import { addWebhookCommands } from './webhook.ts';
import { addWithdraw } from './withdraw.ts';

/** Everything that `payout` can be told to do, in the order in which its help names it. */
export const COMMANDS: readonly ((program: Command) => void)[] = [
  addBalance,
  addHistory,
  addWithdraw,
  addRedirect,
  addCancel,
  addOrder,
  addRecovery,
  addLossRecovery,
  addVault,
  addSchedule,
  addRuns,
  addWatch,
  addReceipt,
  addAudit,
  addSignIn,
  addWebhookCommands,
  addOperator,
  addGovernance,
  addCompletion,
];
