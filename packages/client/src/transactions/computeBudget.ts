import { COMPUTE_BUDGET_PROGRAM_ADDRESS } from '../accounts/programs.ts';
import type { RawInstruction } from './legacyMessage.ts';

/** Numbers of the compute budget program's instructions: https://docs.rs/solana-compute-budget-interface */
const SET_COMPUTE_UNIT_LIMIT = 2;
const SET_COMPUTE_UNIT_PRICE = 3;

const instruction = (data: Uint8Array): RawInstruction => ({
  program: COMPUTE_BUDGET_PROGRAM_ADDRESS,
  accounts: [],
  data,
});

/** Lets a transaction use so many compute units. */
export function computeUnitLimitInstruction(units: number): RawInstruction {
  const data = Uint8Array.of(SET_COMPUTE_UNIT_LIMIT, 0, 0, 0, 0);
  new DataView(data.buffer).setUint32(1, units, true);
  return instruction(data);
}

/** Pays so many micro-lamports for each compute unit, beside the fee for signatures. */
export function computeUnitPriceInstruction(microLamports: bigint): RawInstruction {
  const data = Uint8Array.of(SET_COMPUTE_UNIT_PRICE, 0, 0, 0, 0, 0, 0, 0, 0);
  new DataView(data.buffer).setBigUint64(1, microLamports, true);
  return instruction(data);
}
