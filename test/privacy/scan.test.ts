import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { RECORD_KINDS } from '@payouts/testing/record';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Finder } from './scan/finder.ts';
import { formsOfAmount, formsOfBytes } from './scan/forms.ts';

const finds = (finder: Finder, hay: Buffer | string) => [...finder.scan(Buffer.from(hay))];

describe('the search for secrets', () => {
  it.each([16, 32])('finds %i bytes in every form, wherever they stand', (length) => {
    for (let round = 0; round < 50; round++) {
      const secret = randomBytes(length);
      const finder = new Finder();
      for (const form of formsOfBytes(secret)) finder.add(form, 'secret');
      const before = randomBytes(round);
      const around = Buffer.concat([before, secret, randomBytes(round)]);
      for (const text of [
        around,
        around.toString('hex'),
        around.toString('hex').toUpperCase(),
        around.toString('base64'),
        around.toString('base64url'),
        `[${around.join(',')}]`,
        JSON.stringify({ salt: new Uint8Array(secret) }),
        JSON.stringify([...around], null, 1).replaceAll('\n', ''),
      ]) {
        expect(finds(finder, text).length).toBeGreaterThan(0);
      }
      const changed = Buffer.from(around);
      changed[round + length - 1] = (around[round + length - 1] as number) ^ 1;
      expect(finds(finder, changed)).toEqual([]);
      expect(finds(finder, randomBytes(1_000))).toEqual([]);
      // A text that ends in the middle of one.
      expect(finds(finder, around.subarray(0, round + length - 1))).toEqual([]);
    }
  });

  it('finds bytes whose hexadecimal form has no letters between other digits, too', () => {
    const secret = Buffer.from('1234567890123456'.repeat(2), 'hex');
    const finder = new Finder();
    for (const form of formsOfBytes(secret)) finder.add(form, 'secret');
    expect(finds(finder, `7${secret.toString('hex')}7`).length).toBeGreaterThan(0);
  });

  it('finds amounts as whole numbers only', () => {
    const finder = new Finder();
    for (const form of formsOfAmount(7_000_000_123n)) finder.add(form, 'amount');
    for (const text of ['7000000123', '"amount":"7000000123"', 'x7000000123x', '7b863ba101000000']) {
      expect(finds(finder, text)).toHaveLength(1);
    }
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64LE(7_000_000_123n);
    expect(finds(finder, Buffer.concat([Buffer.from('x'), bytes]))).toHaveLength(1);
    for (const text of ['17000000123', '70000001230', '7000000124']) expect(finds(finder, text)).toEqual([]);
    expect(formsOfAmount(1_234_567n)).toEqual([]);
    expect(formsOfAmount(10_000_000_000n)).toEqual([]);
  });

  it('finds many at once, in the time of one', () => {
    const secrets = Array.from({ length: 5_000 }, () => randomBytes(32));
    const finder = new Finder();
    for (const secret of secrets) for (const form of formsOfBytes(secret)) finder.add(form, 'secret');
    const hay = Buffer.concat(secrets.flatMap((secret) => [randomBytes(1_000), secret]));
    expect(finds(finder, hay)).toHaveLength(5_000);
  });
});

describe('npm run privacy:scan', () => {
  let folder: string;
  const secret = randomBytes(32);
  const put = (kind: string, content: string | Buffer) => {
    mkdirSync(join(folder, kind), { recursive: true });
    writeFileSync(join(folder, kind, 'file'), content);
  };
  const scan = (...flags: string[]) =>
    spawnSync(
      process.execPath,
      [
        '--conditions=@payouts/source',
        '--import',
        createRequire(import.meta.url).resolve('tsx'),
        fileURLToPath(new URL('scan/run.ts', import.meta.url)),
        folder,
        ...flags,
      ],
      { encoding: 'utf8' },
    );
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'payouts-scan-'));
    put('secrets', `address\t${secret.toString('hex')}\namount\t7000000123\n`);
    for (const kind of RECORD_KINDS) put(kind, 'nothing of interest');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('is content with records that keep every secret, and says how much it has searched', () => {
    const { status, stdout } = scan();
    expect(stdout).toMatch(/2 secrets in \d+ forms, 0\.0 MB searched, 2 planted ones found, 0 others/);
    expect(status).toBe(0);
  });

  it.each(RECORD_KINDS)('refuses a secret in a %s, without repeating it', (kind) => {
    put(kind, `a line with ${secret.toString('base64')}`);
    const { status, stdout, stderr } = scan();
    expect(status).toBe(1);
    expect(stderr).toContain(`✖ ${kind}: address at`);
    expect(stdout + stderr).not.toContain(secret.toString('base64'));
  });

  it('refuses records without secrets, and a kind of which there is nothing, unless told that it is a part', () => {
    rmSync(join(folder, 'metrics'), { recursive: true });
    expect(scan()).toMatchObject({ status: 1, stderr: '✖ Nothing was recorded of kind metrics.\n' });
    expect(scan('--part').status).toBe(0);
    rmSync(join(folder, 'secrets'), { recursive: true });
    expect(scan('--part').status).toBe(1);
  });
});
