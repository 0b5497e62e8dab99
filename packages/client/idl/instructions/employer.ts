import { definedTypeLinkNode } from 'codama';
import { schedulePda } from '../pdas.ts';
import { hash, i64, u8, u32, u64 } from '../types.ts';
import {
  account,
  batchOfSchedule,
  config,
  derived,
  employerEntry,
  employerVault,
  instruction,
  mint,
  mintEntry,
  ofAccount,
  ofArgument,
  pool,
  R,
  S,
  SW,
  systemProgram,
  tokenProgram,
  vaultToken,
  W,
} from './parts.ts';

/** What every change of a schedule's status or held recipients names. */
const ownSchedule = [account('employer', S), account('vault', R), account('schedule', W)];

/** What an employer does: vaults, and schedules between their windows. */
export const employerInstructions = [
  instruction(
    'initVault',
    6,
    'Creates an employer’s vault of a token, or opens it again; its token account exists before.',
    {
      accounts: [
        account('employer', S),
        account('payer', SW),
        config(),
        employerEntry,
        mintEntry,
        pool(R),
        employerVault,
        mint,
        account('vaultToken', R),
        systemProgram,
      ],
    },
  ),
  instruction('deposit', 7, 'Moves tokens into a vault; anybody may.', {
    data: [['amount', u64(), 'Base units.']],
    accounts: [account('depositor', S), account('sourceToken', W), account('vault', W), vaultToken, mint, tokenProgram],
  }),
  instruction('withdraw', 8, 'Takes available tokens out of a vault.', {
    data: [['amount', u64(), 'Base units.']],
    accounts: [account('employer', S), employerVault, vaultToken, account('destinationToken', W), mint, tokenProgram],
  }),
  instruction('createSchedule', 9, 'Registers a schedule and reserves its executions.', {
    data: [
      ['id', u64()],
      ['root', hash()],
      ['amount', u64(), 'Base units for each execution.'],
      ['recipients', u32()],
      ['unit', definedTypeLinkNode('calendarUnit')],
      ['every', u32(), 'Units between executions.'],
      ['day', u8(), '1 to 31 for months on a day, else 0.'],
      ['firstExecution', i64(), 'Unix seconds.'],
      ['executions', u32()],
      ['batchTimeout', u32(), 'Seconds.'],
      ['missed', definedTypeLinkNode('missedWindows')],
    ],
    accounts: [
      account('employer', S),
      account('payer', SW),
      config(),
      employerEntry,
      account('vault', W),
      account('schedule', W, derived(schedulePda, { vault: ofAccount('vault'), id: ofArgument('id') })),
      batchOfSchedule,
      systemProgram,
    ],
  }),
  instruction('fundSchedule', 10, 'Adds executions and reserves them; a completed schedule becomes active again.', {
    data: [['executions', u32(), 'How many more.']],
    accounts: [account('employer', S), config(), employerEntry, account('vault', W), account('schedule', W)],
  }),
  instruction('updateRecipients', 11, 'Promises another list from the next window on; releases all held recipients.', {
    data: [
      ['root', hash()],
      ['amount', u64(), 'Base units for each execution.'],
      ['recipients', u32()],
    ],
    accounts: [
      account('employer', S),
      account('payer', SW),
      config(),
      account('vault', W),
      account('schedule', W),
      batchOfSchedule,
      systemProgram,
    ],
  }),
  instruction('pauseSchedule', 12, 'Opens no new windows meanwhile.', { accounts: ownSchedule }),
  instruction('resumeSchedule', 13, 'Lets a paused schedule go on.', { accounts: ownSchedule }),
  instruction('cancelSchedule', 14, 'Ends a schedule; the reserve of unopened executions is available at once.', {
    accounts: [account('employer', S), account('vault', W), account('schedule', W)],
  }),
  instruction('closeSchedule', 18, 'Closes an ended schedule and its batch; their lamports go to the employer.', {
    accounts: [account('employer', SW), account('vault', W), account('schedule', W), batchOfSchedule],
  }),
  instruction('closeVault', 19, 'Closes a vault without schedules; its available tokens go to a token account.', {
    accounts: [account('employer', SW), employerVault, vaultToken, account('destinationToken', W), mint, tokenProgram],
  }),
  instruction('holdRecipient', 21, 'Holds a recipient back from the next window on.', {
    data: [['index', u32(), 'In the present list.']],
    accounts: ownSchedule,
  }),
  instruction('releaseRecipient', 22, 'Pays a held recipient again from the next window on.', {
    data: [['index', u32(), 'In the present list.']],
    accounts: ownSchedule,
  }),
];
