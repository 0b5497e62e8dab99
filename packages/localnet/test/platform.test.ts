import { afterEach, describe, expect, it } from 'vitest';
import { findValidatorBinary } from '../src/executionLayer/validatorPackage.ts';

describe('the published validator', () => {
  const { platform } = process;
  const pretend = (value: string) => Object.defineProperty(process, 'platform', { value });
  afterEach(() => pretend(platform));

  it('is found where it is published', () => {
    expect(findValidatorBinary()).toMatch(/ephemeral-validator$/);
  });

  it('is refused on another platform in one sentence that says where it runs', () => {
    pretend('win32');
    expect(findValidatorBinary).toThrow(
      expect.objectContaining({
        code: 'UNSUPPORTED_PLATFORM',
        message: expect.stringMatching(/^[^.]*0\.14\.x is not published for win32-\w+: run this on linux-x64[^.]*\.$/),
      }),
    );
  });
});
