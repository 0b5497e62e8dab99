import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { cpSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { systemTime } from '@payouts/client';
import { sharedPostgres } from '@payouts/testing/postgres';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../src/store/db/openDatabase.ts';
import { prepareDatabase } from '../../src/store/db/prepare.ts';
import { registerMany } from './manySchedules.ts';
import { operate, operatorSettings } from './operator.ts';
import { sharedFolder, temporaryFolder } from './temporary.ts';

const SCHEDULES = 3;
const MOST_BYTES = 500_000_000;

const otherKind = async () => (await sharedPostgres()).createEmptyDatabase();

/**
 * Tests of backups of one kind of database. `createDatabase`: an empty one of a server whose pg_dump is here; undefined: the embedded
 * one is backed up.
 */
export function testBackups(createDatabase: (() => Promise<string>) | undefined): void {
  const template = sharedFolder();
  let folder: string;
  let settings: Record<string, string | undefined>;
  let file: string;

  const opened = async (): Promise<Database> => {
    const databaseUrl = settings.DATABASE_URL;
    return openDatabase({ databaseUrl, dataDir: settings.DATA_DIR as string, onError: () => {} });
  };
  async function prepared(): Promise<void> {
    const database = await opened();
    await prepareDatabase(database, settings.DATABASE_URL, systemTime);
    await registerMany(database.query, { count: SCHEDULES, due: 0, now: Math.floor(Date.now() / 1_000) });
    await database.close();
  }
  /** The settings of a database that has nothing in it. */
  const empty = async () => ({
    ...settings,
    DATABASE_URL: await createDatabase?.(),
    DATA_DIR: join(folder, 'other'),
  });

  beforeAll(async () => {
    if (createDatabase !== undefined) return;
    settings = { DATA_DIR: template };
    await prepared();
  });

  beforeEach(async () => {
    folder = temporaryFolder();
    file = join(folder, 'payouts.backup');
    settings = operatorSettings(folder, { DATABASE_URL: await createDatabase?.() });
    if (createDatabase === undefined) cpSync(template, join(folder, 'data'), { recursive: true });
    else await prepared();
  });

  it('backs up what is there while it is used, for its owner alone and without the payload key, and says where that is', async () => {
    const database = await opened();
    const { code, printed } = await operate(settings, 'backup', file);
    await database.close();
    expect({ code, printed }).toMatchObject({ code: 0, printed: expect.stringContaining(`schedules ${SCHEDULES}`) });
    expect(printed).toContain(`Its payload key is not in it: it is the file ${settings.PAYLOAD_KEY}.`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const whole = execFileSync('tar', ['-xOf', file, 'database'], { maxBuffer: MOST_BYTES });
    const content = createDatabase === undefined ? gunzipSync(whole) : whole;
    const key = readFileSync(settings.PAYLOAD_KEY as string, 'utf8');
    for (const form of [key, Buffer.from(key, 'hex')]) expect(content.includes(form)).toBe(false);
    expect(readdirSync(folder).filter((entry) => /database|unfinished/.test(entry))).toEqual([]);
  });

  it('verifies a backup, and sees one that was changed, cut off or something else', async () => {
    const { printed } = await operate(settings, 'backup', file, '--json');
    expect(JSON.parse(printed)).toMatchObject({ file, format: 1, schedules: SCHEDULES, runs: 0, openRuns: 0 });
    const verified = await operate({}, 'backup', 'verify', file, '--json');
    expect(JSON.parse(verified.printed)).toMatchObject({ opened: true, schedules: SCHEDULES });

    const bytes = readFileSync(file);
    const wrong = async (content: Uint8Array): Promise<string> => {
      const other = join(folder, 'wrong.backup');
      writeFileSync(other, content);
      const { code, said } = await operate({}, 'backup', 'verify', other);
      expect(code).toBe(1);
      return said;
    };
    const changed = Uint8Array.from(bytes);
    changed[Math.floor(bytes.length / 2)] = ~(changed[Math.floor(bytes.length / 2)] as number);
    expect(await wrong(changed)).toContain('is damaged');
    expect(await wrong(bytes.subarray(0, bytes.length - 4_096))).toMatch(/damaged/);
    expect(await wrong(randomBytes(5_000))).toMatch(/can't be read|is no backup/);
    expect((await operate({}, 'backup', 'verify', join(folder, 'none'))).said).toContain('There is no file');
  });

  it('restores into an empty database and into no other, and overwrites no file', async () => {
    expect((await operate(settings, 'backup', file)).code).toBe(0);
    const again = await operate(settings, 'backup', file);
    expect(again).toMatchObject({ code: 1, said: expect.stringContaining('is there already') });
    const over = await operate(settings, 'restore', file);
    expect(over).toMatchObject({ code: 1, said: expect.stringMatching(/nothing is restored over it/) });

    settings = await empty();
    expect(await operate(settings, 'restore', file)).toMatchObject({ code: 0, said: '' });
    const database = await opened();
    const { rows } = await database.pool.query('select count(*)::int as count from schedules');
    await database.close();
    expect(rows).toEqual([{ count: SCHEDULES }]);
    // Nothing is left to be migrated, the engine's tables among it.
    expect((await operate(settings, 'migrate')).printed).toBe('Nothing to do.\n');
    const json = async (...words: string[]) => JSON.parse((await operate(settings, ...words, '--json')).printed);
    expect(await json('migrate')).toEqual({ done: [] });
    expect(await json('keys', 'show')).toMatchObject({ present: expect.any(String), keys: [{ lists: 0 }] });
    expect(await json('keys', 'rotate')).toMatchObject({ lists: 0, unreadable: {} });
    expect(await json('retention', '--older-than', '30', '--dry-run')).toMatchObject({ dryRun: true, runs: 0 });
    expect(await json('runs', 'resume', '--state', 'held')).toEqual({ resumed: [] });
    expect(await json('config', 'check')).toMatchObject({ isFine: false, findings: expect.any(Array) });
  });

  it('refuses a backup of the other kind of database', async () => {
    expect((await operate(settings, 'backup', file)).code).toBe(0);
    settings = await empty();
    settings.DATABASE_URL = createDatabase === undefined ? await otherKind() : undefined;
    const { code, said } = await operate(settings, 'restore', file);
    expect(code).toBe(1);
    expect(said).toMatch(/The backup is of/);
  });
}
