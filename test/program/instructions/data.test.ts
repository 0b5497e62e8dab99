import type { Instruction } from '@solana/kit';
import { describe, expect, it } from 'vitest';
import { fixtures } from '../fixtures/all.ts';
import { initConfig } from '../fixtures/index.ts';
import { refusal } from './support/call.ts';

const withData = (instruction: Instruction, data: Uint8Array): Instruction => ({ ...instruction, data });

describe('an instruction’s data', () => {
  it.each(fixtures.map((fixture) => [fixture.name, fixture] as const))(
    'of %s neither ends early nor goes on',
    (_, fixture) => {
      const { scene, instruction } = fixture.prepare();
      const data = Uint8Array.from(instruction.data ?? []);
      for (const wrong of [data.slice(0, -1), new Uint8Array([...data, 0])]) {
        expect(refusal(fixture, scene, withData(instruction, wrong))).toBe('InvalidData');
      }
    },
  );

  it('begins with the number of an instruction that there is', () => {
    const { scene, instruction } = initConfig.prepare();
    for (const selector of [28, 29, 30, 31, 59, 83, 195, 196, 197, 255]) {
      expect(refusal(initConfig, scene, withData(instruction, Uint8Array.of(selector)))).toBe('InvalidData');
    }
  });
});
