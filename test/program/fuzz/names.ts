import { fixtures } from '../fixtures/index.ts';

const CALLBACK = 196;
/** In order of number; the numbers have gaps before the execution layer's instructions and the callback. */
const NUMBERS = [...Array(28).keys(), ...Array.from({ length: 14 }, (_, place) => 32 + place), CALLBACK];

/** Order of the numbers differs from the order of what happens, in which the fixtures are listed. */
const BY_NUMBER: Readonly<Record<string, number>> = {
  initConfig: 0,
  updateConfig: 1,
  acceptGovernance: 2,
  setWhitelist: 3,
  initPool: 4,
  initCounter: 5,
  initVault: 6,
  deposit: 7,
  withdraw: 8,
  createSchedule: 9,
  fundSchedule: 10,
  updateRecipients: 11,
  pauseSchedule: 12,
  resumeSchedule: 13,
  cancelSchedule: 14,
  delegateSchedule: 15,
  settle: 16,
  payOut: 17,
  closeSchedule: 18,
  closeVault: 19,
  updateGuardian: 20,
  holdRecipient: 21,
  releaseRecipient: 22,
  recordLiabilities: 23,
  declareLoss: 24,
  revokeLoss: 25,
  redeem: 26,
  reclaimWindow: 27,
  claimPayment: 32,
  commit: 33,
  requestWithdrawal: 34,
  confirmWithdrawal: 35,
  setStandingOrder: 36,
  executeOrder: 37,
  redirectWithdrawal: 38,
  setPermissions: 39,
  closePermission: 40,
  setApproval: 41,
  confirmApproval: 42,
  approveSchedule: 43,
  rejectSchedule: 44,
  withdrawApproved: 45,
  undelegationCallback: CALLBACK,
};

const names = new Map(fixtures.map(({ name }) => [BY_NUMBER[name], name]));

/** Every instruction's number. */
export const INSTRUCTIONS: readonly number[] = NUMBERS;

/** An instruction's name by its number; others are unknown. */
export function nameOf(number: number | undefined): string {
  return names.get(number) ?? 'unknown';
}
