import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const systemd = fileURLToPath(new URL('../../deploy/systemd', import.meta.url));
const unit = readFileSync(join(systemd, 'payouts-coordinator.service'), 'utf8');
const settings = readFileSync(fileURLToPath(new URL('../../docs/reference/settings.md', import.meta.url)), 'utf8');
const matches = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, found = '']) => found);

/** What a directive is set to, in order. */
const set = (name: string): string[] => matches(unit, new RegExp(`^${name}=(.*)$`, 'gm'));

it('sets only what can be set, and secrets by credentials alone', () => {
  const variables = set('Environment').flatMap((line) => matches(line, /(?:^| )([A-Z_]+)=/g));
  variables.push(...matches(readFileSync(join(systemd, 'coordinator.env.example'), 'utf8'), /^([A-Z_]+)=/gm));
  const known = new Map(matches(settings, /^\| (`[A-Z_]+` .*)$/gm).map((row) => [row.split('`')[1], row]));
  for (const variable of variables.filter((name) => name !== 'NODE_ENV')) {
    expect([...known.keys()], variable).toContain(variable.replace(/_FILE$/, ''));
  }
  const credentials = set('LoadCredential').map((line) => line.split(':')[0]);
  const named = set('Environment').flatMap((line) => matches(line, /%d\/(\S+)/g));
  expect(named.sort()).toEqual(credentials.sort());
});

it('stops by the signal that the service knows, and waits for longer than its grace time', () => {
  const grace = Number(/`SHUTDOWN_GRACE_MS` \| `(\d+)` ms/.exec(settings)?.[1]);
  expect(set('KillSignal')).toEqual(['SIGTERM']);
  expect(Number.parseInt(set('TimeoutStopSec')[0] ?? '', 10) * 1_000).toBeGreaterThan(grace + 5_000);
});

describe('as systemd reads it', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'payouts-test-'));
    cpSync(systemd, folder, { recursive: true });
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('is a unit without faults', () => {
    const file = join(folder, 'payouts-coordinator.service');
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', file], { encoding: 'utf8' });
    // The machine that tests it need not have Node there.
    const complaints = stderr
      .split('\n')
      .filter((line) => line.includes('payouts') && !line.includes('is not executable'));
    expect(complaints).toEqual([]);
    if (complaints.length === 0 && !stderr.includes('is not executable')) expect(status).toBe(0);
    writeFileSync(file, unit.replace('ProtectSystem=strict', 'ProtectSytem=strict'));
    const wrong = spawnSync('systemd-analyze', ['verify', '--man=no', file], { encoding: 'utf8' });
    expect(wrong.stderr).toContain('ProtectSytem');
    writeFileSync(file, unit);
  });

  it('is exposed as little as Node allows', () => {
    const args = ['security', '--offline=true', '--no-pager', '--threshold=15'];
    const output = execFileSync('systemd-analyze', [...args, join(folder, 'payouts-coordinator.service')], {
      encoding: 'utf8',
    });
    expect(output).toMatch(/Overall exposure level .*: 1\.[0-5] /);
  });

  it('has folders that systemd-tmpfiles makes', () => {
    const root = join(folder, 'root');
    execFileSync('systemd-tmpfiles', ['--create', `--root=${root}`, join(folder, 'payouts.tmpfiles.conf')]);
    const modes = execFileSync('stat', ['--format=%a', join(root, 'etc/payouts'), join(root, 'etc/payouts/keys')], {
      encoding: 'utf8',
    });
    expect(modes).toBe('755\n700\n');
  });
});
