import { describe, expect, it } from 'vitest';
import { errorOfTransaction, programError } from '../src/index.ts';

describe('errors', () => {
  it('are found by code', () => {
    expect(programError(6000)).toEqual({
      code: 6000,
      name: 'NotUpgradeAuthority',
      message: "Only the program's upgrade authority can create the config",
    });
    expect(programError(6020)?.name).toBe('NotDue');
    expect([5999, 7000, 1].map(programError)).toEqual([undefined, undefined, undefined]);
  });

  it('are found in a transaction’s failure', () => {
    expect(errorOfTransaction({ InstructionError: [1, { Custom: 6026 }] })?.name).toBe('InvalidProof');
    expect(errorOfTransaction({ InstructionError: [1n, { Custom: 6026n }] })?.name).toBe('InvalidProof');
    for (const err of [
      null,
      'AccountInUse',
      { InstructionError: [0, 'InvalidArgument'] },
      { InstructionError: [0, { Custom: 1 }] },
    ]) {
      expect(errorOfTransaction(err)).toBeUndefined();
    }
  });
});
