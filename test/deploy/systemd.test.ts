import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const systemd = fileURLToPath(new URL('../../deploy/systemd', import.meta.url));
const unit = readFileSync(join(systemd, 'payouts-coordinator.service'), 'utf8');

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
