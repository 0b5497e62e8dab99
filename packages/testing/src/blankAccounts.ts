import {
  getBalancePageDecoder,
  getBatchDecoder,
  getPersonalDecoder,
  getPoolDecoder,
  getScheduleDecoder,
  getVaultDecoder,
  PAGE_HEAD_BYTES,
} from '@payouts/client';

/** Accounts of the ledger program in which every field is 0: a test says what it cares about, and takes the rest from here. */
export const BLANK_SCHEDULE = getScheduleDecoder().decode(new Uint8Array(720));
export const BLANK_VAULT = getVaultDecoder().decode(new Uint8Array(192));
export const BLANK_POOL = getPoolDecoder().decode(new Uint8Array(352));
export const BLANK_BATCH = getBatchDecoder().decode(new Uint8Array(320));
/** A page without slots, and a personal account without a withdrawal. */
export const BLANK_PAGE = getBalancePageDecoder().decode(new Uint8Array(PAGE_HEAD_BYTES));
export const BLANK_PERSONAL = getPersonalDecoder().decode(new Uint8Array(312));
