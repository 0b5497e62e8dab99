import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { payoutProgram } from '@payouts/cli/payout';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bashScript, zshScript } from '../../src/payout/completion/bash.ts';
import { fishScript } from '../../src/payout/completion/fish.ts';
import { placesOf } from '../../src/payout/completion/tree.ts';

const places = placesOf(payoutProgram());

let [folder, scripts] = ['', ''];
beforeAll(() => {
  scripts = mkdtempSync(join(tmpdir(), 'payouts-completion-'));
  folder = mkdtempSync(join(tmpdir(), 'payouts-completion-'));
  writeFileSync(join(folder, 'november.csv'), '');
});
afterAll(() => {
  for (const each of [folder, scripts]) rmSync(each, { recursive: true });
});

function run(shell: string, script: string): string[] {
  // Longer than a kernel takes for one argument.
  const file = join(scripts, `script.${shell}`);
  writeFileSync(file, script);
  const { stdout, stderr, status } = spawnSync(shell, [...(shell === 'zsh' ? ['-f'] : []), file], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, HOME: folder },
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return stdout.split('\n').filter((line) => line !== '');
}

/** What a shell offers behind these words; the last one is begun. */
const COMPLETE: Readonly<Record<string, (...words: string[]) => string[]>> = {
  bash: (...words) => {
    const line = words.map((word) => `'${word}'`).join(' ');
    const script = `COMP_WORDS=(${line}); COMP_CWORD=${words.length - 1}; _payout; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return run('bash', `${bashScript('payout', places)}\n${script}`);
  },
  fish: (...words) =>
    run('fish', `${fishScript('payout', places)}\ncomplete -C '${words.join(' ')}'`).map(
      (line) => line.split('\t')[0] as string,
    ),
};

describe.each(Object.keys(COMPLETE))('in %s', (shell) => {
  const complete = COMPLETE[shell] as (typeof COMPLETE)[string];

  it('completes commands, options and values', () => {
    expect(complete('payout', 'sch')).toEqual(['schedule']);
    expect(complete('payout', 'schedule', 're').sort()).toEqual(['register', 'reject', 'release', 'resume']);
    expect(complete('payout', 'schedule', 'create', '--mi')).toEqual(['--missed']);
    expect(complete('payout', 'schedule', 'create', '--missed', '').sort()).toEqual(['catch-up', 'skip']);
    expect(complete('payout', 'schedule', 'create', '--token', 'X', '--on', 'last-').sort()).toEqual([
      'last-business-day',
    ]);
    expect(complete('payout', 'completion', '').sort()).toEqual(['bash', 'fish', 'zsh']);
    expect(complete('payout', 'receipts', 've')).toEqual(['verify']);
  });

  it('completes files where one is taken, and nothing where nobody can know', () => {
    expect(complete('payout', 'schedule', 'preview', 'nov')).toEqual(['november.csv']);
    expect(complete('payout', 'balance', '--keypair', 'nov')).toEqual(['november.csv']);
    expect(complete('payout', 'schedule', 'create', '--token', 'nov')).toEqual([]);
  });
});

it('offers in bash, for every command, every option that its help names', () => {
  for (const { path, flags } of places) {
    const words = ['payout', ...path.split('/').filter((word) => word !== ''), '--'];
    expect(COMPLETE.bash?.(...words).sort()).toEqual(flags.map(({ name }) => name).sort());
  }
});

it('completes in zsh by what it has for scripts of bash', () => {
  const script = [
    zshScript('payout', places),
    'print -r -- "registered $_comps[payout]"',
    "setopt ksharrays; COMP_WORDS=(payout schedule create --missed ''); COMP_CWORD=4; _payout",
    'unsetopt ksharrays; print -l -- $COMPREPLY',
  ];
  const [registered, ...offered] = run('zsh', script.join('\n'));
  expect(registered).toContain('_payout');
  expect(offered.sort()).toEqual(['catch-up', 'skip']);
});
