import { describe, expect, it } from 'vitest';
import { renderLayoutReference } from '../idl/layoutReference.ts';
import { readProgram } from '../idl/program.ts';

describe('the page of layouts', () => {
  it('has a row for each field of each account, instruction and event', () => {
    const idl = readProgram();
    const page = renderLayoutReference(idl);
    for (const { name } of idl.program.instructions ?? [])
      expect(page).toMatch(
        new RegExp(`^### \\d+ ${name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}$`, 'm'),
      );
    expect(page).toContain('### config: kind 1');
    expect(page).toContain('| 40 | pending_governance | address |');
    expect(page).toMatch(/^\| \d+ \| WindowSettled \| schedule \| address \|\n\| {2}\| {2}\| window \| u64 \|$/m);
  });

  it('refuses an account whose fields don’t fill it', () => {
    const idl = readProgram();
    const accounts = (idl.program.accounts ?? []).map((account) =>
      account.name === 'config' ? { ...account, size: 512 } : account,
    );
    const wrong = { ...idl, program: { ...idl.program, accounts } };
    expect(() => renderLayoutReference(wrong)).toThrow('The fields of config end at 384, not at 512.');
  });
});
