import {
  definedTypeNode,
  enumEmptyVariantTypeNode,
  enumStructVariantTypeNode,
  enumTypeNode,
  structFieldTypeNode,
  structTypeNode,
  type TypeNode,
} from 'codama';
import { address, hash, i64, u8, u32, u64 } from './types.ts';

type Event = [name: string, fields?: [name: string, type: TypeNode][]];

const schedule: [string, TypeNode] = ['schedule', address()];
const vault: [string, TypeNode] = ['vault', address()];
const mint: [string, TypeNode] = ['mint', address()];
const window: [string, TypeNode] = ['window', u64()];
const amount: [string, TypeNode] = ['amount', u64()];
const number: [string, TypeNode] = ['number', u64()];

/** Every event with its fields, in order of number from 0. */
const EVENTS: Event[] = [
  ['configCreated'],
  ['configUpdated'],
  ['governanceAccepted', [['governance', address()]]],
  ['guardianUpdated', [['guardian', address()]]],
  [
    'whitelistSet',
    [
      ['subject', address()],
      ['allowed', u8()],
    ],
  ],
  ['poolCreated', [mint]],
  ['counterCreated', [mint]],
  ['vaultOpened', [vault]],
  ['deposited', [vault, amount]],
  ['withdrawn', [vault, amount]],
  ['scheduleCreated', [schedule, amount, ['recipients', u32()], ['executions', u32()]]],
  ['scheduleFunded', [schedule, ['executions', u32()]]],
  ['recipientsUpdated', [schedule, ['rootVersion', u32()], amount, ['recipients', u32()]]],
  ['schedulePaused', [schedule]],
  ['scheduleResumed', [schedule, ['nextExecution', i64()]]],
  ['scheduleCancelled', [schedule, ['released', u64()]]],
  ['recipientHeld', [schedule, ['index', u32()]]],
  ['recipientReleased', [schedule, ['index', u32()]]],
  ['windowOpened', [schedule, window, amount, ['recipients', u32()], ['held', u32()]]],
  [
    'windowSettled',
    [schedule, window, ['paidCount', u32()], ['paidAmount', u64()], ['returned', u64()], ['bitmapHash', hash()]],
  ],
  ['liabilitiesRecorded', [mint, ['sequence', u64()], ['root', hash()], ['total', u64()], ['coveredTo', u64()]]],
  ['withdrawalPaid', [mint, number, amount]],
  ['scheduleClosed', [schedule]],
  ['vaultClosed', [vault, ['returned', u64()]]],
  ['lossDeclared', [['finalAt', i64()]]],
  ['lossRevoked'],
  ['balanceRedeemed', [mint, ['index', u32()], amount]],
  ['windowReclaimed', [schedule, window, ['returned', u64()]]],
  [
    'claimsProcessed',
    [
      ['paid', u32()],
      ['alreadyPaid', u32()],
      ['skipped', u32()],
    ],
  ],
  ['windowCommitted', [schedule, window, ['paidCount', u32()], ['paidAmount', u64()]]],
  ['withdrawalRequested', [number]],
  ['withdrawalIssued', [number]],
  ['withdrawalConfirmed', [number]],
  ['standingOrderSet'],
  ['withdrawalRedirected', [number]],
  ['withdrawalPlanned'],
  ['approvalSet', [vault, ['approver', address()], ['limit', u64()]]],
  ['approvalChangeProposed', [vault, ['approver', address()], ['limit', u64()], ['changeAt', i64()]]],
  ['approvalRemoved', [vault]],
  ['scheduleProposed', [schedule, amount, ['recipients', u32()], ['executions', u32()]]],
  [
    'scheduleApproved',
    [schedule, ['rootVersion', u32()], amount, ['recipients', u32()], ['executions', u32()], ['nextExecution', i64()]],
  ],
  ['scheduleRejected', [schedule, ['released', u64()]]],
];

export const payoutEvent = definedTypeNode({
  name: 'payoutEvent',
  docs: ['What the program logs for every change of state: the event’s number, then its fields.'],
  type: enumTypeNode(
    EVENTS.map(([name, fields]) =>
      fields === undefined
        ? enumEmptyVariantTypeNode(name)
        : enumStructVariantTypeNode(
            name,
            structTypeNode(fields.map(([field, type]) => structFieldTypeNode({ name: field, type }))),
          ),
    ),
  ),
});
