import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runOperatorCommand } from '@payouts/sandbox';
import type { Postgres } from '@payouts/testing/services';
import type { World } from '@payouts/testing/world';

const MOST_BYTES = 2 ** 28;

/** The host of the service: what whoever may look around on it finds, and what its operator does. */
export class Host {
  constructor(
    private readonly world: World,
    private readonly postgres: Postgres,
    private readonly databaseUrl: string,
  ) {}

  /** Of the operator's commands. */
  get settings(): Readonly<Record<string, string>> {
    const { settings, payloadKey } = this.world;
    const path = `${this.postgres.programs}:${process.env.PATH}`;
    return { ...settings, DATABASE_URL: this.databaseUrl, PAYLOAD_KEY: payloadKey, PATH: path };
  }

  /** Has an operator's command run. */
  operate(...words: readonly string[]): Promise<string> {
    return runOperatorCommand(this.settings, words);
  }

  /** How the service, which must be running, was started. */
  async environment(): Promise<Buffer> {
    const folder = `/proc/${this.world.coordinatorPid}`;
    return Buffer.concat([await readFile(`${folder}/environ`), await readFile(`${folder}/cmdline`)]);
  }

  /** The database as text. */
  dump(): Buffer {
    return execFileSync(join(this.postgres.programs, 'pg_dump'), ['--dbname', this.databaseUrl], {
      maxBuffer: MOST_BYTES,
    });
  }

  /** The service's own backup, as text. */
  async backup(): Promise<Buffer> {
    const file = join(this.world.folder, 'payouts.backup');
    await this.operate('backup', file);
    const database = execFileSync('tar', ['--extract', '--to-stdout', '--file', file, 'database'], {
      maxBuffer: MOST_BYTES,
    });
    const restore = join(this.postgres.programs, 'pg_restore');
    return execFileSync(restore, ['--file', '-'], { input: database, maxBuffer: MOST_BYTES });
  }

  /** Has the service forget a schedule, and changes its payload key; returns the new one. */
  async forget(schedule: string): Promise<string> {
    await this.operate('schedules', 'delete', schedule, '--yes', '--history');
    const [file, key] = [join(this.world.folder, 'later.key'), randomBytes(32).toString('hex')];
    await writeFile(file, key, { mode: 0o600 });
    const { PAYLOAD_KEY: former = '', ...others } = this.settings;
    await runOperatorCommand({ ...others, PAYLOAD_KEY: file, PAYLOAD_KEYS_RETIRED: former }, ['keys', 'rotate']);
    return key;
  }
}
