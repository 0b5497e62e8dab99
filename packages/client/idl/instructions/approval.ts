import { definedTypeLinkNode } from 'codama';
import { approvalPda } from '../pdas.ts';
import { address, hash, i64, u8, u32, u64 } from '../types.ts';
import {
  account,
  derived,
  employerVault,
  instruction,
  mint,
  ofAccount,
  R,
  S,
  SW,
  systemProgram,
  tokenProgram,
  vaultToken,
  W,
} from './parts.ts';

const approvalOfVault = (role = R) => account('approval', role, derived(approvalPda, { vault: ofAccount('vault') }));

/** Two persons: what an employer prepares above a limit, another key approves. */
export const approvalInstructions = [
  instruction('setApproval', 41, 'Names a vault’s approver and limit; to loosen what stands is only proposed.', {
    data: [
      ['approver', address(), 'Zero: the policy is to go.'],
      ['limit', u64(), 'Base units of an execution or a withdrawal that need no approval; 0 with a removal.'],
    ],
    accounts: [account('employer', S), account('payer', SW), account('vault', W), approvalOfVault(W), systemProgram],
  }),
  instruction(
    'confirmApproval',
    42,
    'Makes the change of the policy that waits: its approver, or later the employer.',
    {
      data: [
        ['approver', address(), 'As it waits.'],
        ['limit', u64(), 'As it waits.'],
      ],
      accounts: [account('signer', S), account('employer', W), account('vault', W), approvalOfVault(W)],
    },
  ),
  instruction('approveSchedule', 43, 'Agrees to what waits of a schedule; names the terms as they will stand.', {
    data: [
      ['root', hash()],
      ['amount', u64(), 'Base units for each execution.'],
      ['recipients', u32()],
      ['executions', u32(), 'All that are left then.'],
      ['unit', definedTypeLinkNode('calendarUnit')],
      ['every', u32(), 'Units between executions.'],
      ['day', u8(), '1 to 31 for months on a day, else 0.'],
      ['nextExecution', i64(), 'Unix seconds, as it stands.'],
      ['batchTimeout', u32(), 'Seconds.'],
      ['missed', definedTypeLinkNode('missedWindows')],
    ],
    accounts: [account('approver', S), approvalOfVault(), account('vault', W), account('schedule', W)],
  }),
  instruction('rejectSchedule', 44, 'Refuses what waits of a schedule, or takes it back: approver or employer.', {
    accounts: [account('signer', S), approvalOfVault(), account('vault', W), account('schedule', W)],
  }),
  instruction(
    'withdrawApproved',
    45,
    'Takes available tokens out of a vault above its limit; the approver signs too.',
    {
      data: [['amount', u64(), 'Base units.']],
      accounts: [
        account('employer', S),
        account('approver', S),
        approvalOfVault(),
        employerVault,
        vaultToken,
        account('destinationToken', W),
        mint,
        tokenProgram,
      ],
    },
  ),
];
