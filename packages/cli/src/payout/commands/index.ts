import type { Command } from 'commander';
import { addAudit } from './audit.ts';
import { addBalance } from './balance.ts';
import { addBank } from './bank/index.ts';
import { addCancel } from './cancel.ts';
import { addCode } from './code.ts';
import { addCompletion } from './completion.ts';
import { addGovernance } from './governance/index.ts';
import { addHelp } from './help.ts';
import { addHistory } from './history.ts';
import { addAccept, addChangeAddress, addInvitations } from './invitations.ts';
import { addLossRecovery } from './lossRecovery.ts';
import { addNotices } from './notices.ts';
import { addOperator } from './operator.ts';
import { addOrder } from './order.ts';
import { addPay } from './pay.ts';
import { addReceipt } from './receipt.ts';
import { addRecovery } from './recovery.ts';
import { addRedirect } from './redirect.ts';
import { addRoles } from './roles.ts';
import { addRuns } from './runs.ts';
import { addSchedule } from './schedule/index.ts';
import { addSignIn } from './signIn.ts';
import { addTreasury } from './treasury.ts';
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
  ['For recipients who pay each other inside:', [addPay, addCode]],
  ['For the addresses that employers pay:', [addInvitations, addAccept, addChangeAddress]],
  [
    'For employers and approvers:',
    [addVault, addSchedule, addTreasury, addRoles, addRuns, addBank, addWebhookCommands],
  ],
  ['For everybody:', [addWatch, addNotices, addReceipt, addSignIn]],
  ['For auditors, and employers who let them look:', [addAudit]],
  ['If the execution layer is lost:', [addLossRecovery]],
  ['For operators and governance:', [addOperator, addGovernance]],
  ['This command:', [addUse, addHelp, addCompletion]],
];
