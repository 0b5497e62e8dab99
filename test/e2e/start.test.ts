import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  getVaultDecoder,
  listFromRecipients,
  PAYOUT_LEDGER_PROGRAM_ADDRESS,
  recipientsFromJson,
  systemTime,
  VAULT_KIND,
} from '@payouts/client';
import { freePorts, startBaseLedger } from '@payouts/localnet';
import { recordStore } from '@payouts/testing/dump';
import { recordPublic } from '@payouts/testing/record';
import { recordList } from '@payouts/testing/recordList';
import { TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** What a start has let out of its sample employer's list, for the search of a whole test run. */
async function recordStart(folder: string): Promise<void> {
  const sample = join(folder, 'sample', 'schedule.json');
  if (!existsSync(sample)) return;
  const { recipients } = JSON.parse(await readFile(sample, 'utf8')) as { recipients: unknown };
  recordList(listFromRecipients(recipientsFromJson(recipients)));
  recordPublic('log', await readFile(join(folder, 'coordinator.log')));
  await recordStore({ databaseUrl: undefined, dataDir: join(folder, 'coordinator') });
}

/** The process below another one whose command line holds a text. */
function descendant(pid: number, text: string): number {
  for (const child of readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')) {
    if (child === '') continue;
    if (readFileSync(`/proc/${child}/cmdline`, 'utf8').includes(text)) return Number(child);
    const found = descendant(Number(child), text);
    if (found > 0) return found;
  }
  return 0;
}

describe('npm start', () => {
  let folder: string;
  let ports: Readonly<Record<'api' | 'base' | 'layer', number>>;
  let blocker: Server | undefined;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'payouts-test-'));
    // Each ledger's websocket takes the next one.
    const first = await freePorts(5);
    ports = { api: first, base: first + 1, layer: first + 3 };
  });
  afterEach(async () => {
    await new Promise((resolve) => (blocker === undefined ? resolve(undefined) : blocker.close(resolve)));
    blocker = undefined;
    await recordStart(folder);
    await rm(folder, { recursive: true, force: true });
  });

  const start = (...args: string[]) => startAndSee(args);
  /** Starts, tells each time what has been printed so far, and by which process, and waits for the end. */
  const startAndSee = (args: readonly string[], sees: (output: string, pid: number) => void = () => {}) =>
    new Promise<{ code: number | null; output: string }>((resolve) => {
      const child = spawn(
        process.execPath,
        [
          join(root, 'scripts', 'run.mjs'),
          'start',
          ...['--dir', folder],
          ...['--port', String(ports.api), '--base-port', String(ports.base), '--layer-port', String(ports.layer)],
          ...args,
        ],
        { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] },
      );
      let output = '';
      for (const stream of [child.stdout, child.stderr]) {
        stream.on('data', (chunk: Buffer) => {
          output += chunk;
          sees(output, child.pid ?? 0);
        });
      }
      child.once('close', (code) => resolve({ code, output }));
    });

  it('pays the first window, proves the balances, lets a recipient withdraw, and ends with 0 when run once', async () => {
    const { code, output } = await start('--once', '--recipients', '150');
    expect(output).toContain('Window 0: settled on the base ledger');
    expect(output).toContain('150 private balances');
    expect(output.match(/every money rule holds on both ledgers/g)).toHaveLength(2);
    expect(output).toContain('to a fresh wallet');
    expect(code).toBe(0);
  });

  it('ends with a sentence when one of its parts does', async () => {
    let isKilled = false;
    const { code, output } = await startAndSee(['--recipients', '20', '--interval', '2592000'], (said, pid) => {
      if (isKilled || !said.includes('Running.')) return;
      isKilled = true;
      process.kill(descendant(pid, 'coordinator/'), 'SIGKILL');
    });
    expect(code).toBe(1);
    expect(output).toMatch(/✖ coordinator: ended by itself \(SIGKILL\); see .*\. The other parts are stopped/);
    expect(output).not.toMatch(/^\s+at /m);
  });

  it('ends all its parts when SIGTERM ends it', async () => {
    let parts: number[] = [];
    const { code, output } = await startAndSee(['--recipients', '20', '--interval', '2592000'], (said, pid) => {
      if (parts.length > 0 || !said.includes('Running.')) return;
      parts = ['coordinator/', 'baseLedger/', 'ephemeral-validator'].map((text) => descendant(pid, text));
      process.kill(pid, 'SIGTERM');
    });
    expect(output).toContain('Stopping ...');
    expect(code).toBe(0);
    expect(parts.map((pid) => pid > 0 && !existsSync(`/proc/${pid}`))).toEqual([true, true, true]);
  });

  it('ends with 1 when a money rule is broken, and says which and by how much', async () => {
    const once = ['--once', '--recipients', '20', '--interval', '5'];
    expect((await start(...once)).code).toBe(0);
    // Between two starts, one base unit of the vault's tokens vanishes.
    const ledger = await startBaseLedger({ directory: join(folder, 'localnet', 'base'), time: systemTime });
    const [vault] = (await ledger.admin.listAccounts(PAYOUT_LEDGER_PROGRAM_ADDRESS)).filter(
      ({ data }) => data[0] === VAULT_KIND,
    );
    const { tokenAccount } = getVaultDecoder().decode(vault?.data ?? new Uint8Array());
    const tokens = (await ledger.admin.listAccounts(TOKEN_PROGRAM_ADDRESS)).find(
      ({ address }) => address === tokenAccount,
    );
    if (tokens === undefined) throw new Error('the vault has no token account');
    const view = new DataView(tokens.data.buffer, tokens.data.byteOffset);
    view.setBigUint64(64, view.getBigUint64(64, true) - 1n, true);
    await ledger.admin.setAccount(tokens);
    await ledger.stop();

    const { code, output } = await start(...once);
    expect(code).toBe(1);
    expect(output).toMatch(
      /✖ Window \d+ is failed: The vault's token account holds \d+, but available and reserved are \d+/,
    );
  });

  it('says in one sentence that the packages can’t be had, and how to mend it', async () => {
    for (const part of ['scripts', 'package.json', 'package-lock.json']) {
      await cp(join(root, part), join(folder, part), { recursive: true });
    }
    const closed = { npm_config_registry: 'http://127.0.0.1:1/', npm_config_cache: join(folder, 'cache') };
    const child = spawn(process.execPath, [join(folder, 'scripts', 'run.mjs'), 'start'], {
      env: { ...process.env, ...closed },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let complaint = '';
    child.stderr.on('data', (chunk: Buffer) => (complaint += chunk));
    const code = await new Promise((resolve) => child.once('close', resolve));
    expect(code).toBe(1);
    // What is being done, and one sentence: nothing of what npm says by itself.
    expect(complaint.split('\n').filter((line) => line !== '')).toEqual([
      expect.stringMatching(/^Installing packages/),
      expect.stringMatching(/^✖ .*could not be installed .*check the network/),
    ]);
  });

  it.each([
    ['the base ledger', 'base'],
    ['the execution layer', 'layer'],
    ['the API', 'api'],
  ] as const)('says in one sentence that the port of %s is taken, and how to mend it', async (_, which) => {
    const taken = ports[which];
    blocker = createServer().listen(taken, '127.0.0.1');
    await once(blocker, 'listening');
    const { code, output } = await start('--once');
    expect(code).toBe(1);
    const complaint = output.split('\n').filter((line) => line.startsWith('✖'));
    expect(complaint).toHaveLength(1);
    expect(complaint[0]).toContain(String(taken));
    expect(complaint[0]).toMatch(/stop|choose|use/i);
    // It is said before what takes long.
    expect(output).not.toContain('Starting the coordinator');
    expect(output).not.toMatch(/^\s+at /m);
  });
});
