import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addressFromBytes, systemTime } from '@payouts/client';
import type { Command } from 'commander';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { readOrCreateKey } from '../src/keys.ts';
import { commandLine } from '../src/payout/commandLine.ts';
import { applyDefaults, type Defaults, dropReplaced, usedDefaults } from '../src/payout/defaults.ts';
import { payoutProgram, runPayout } from '../src/payout/program.ts';

const addressOf = (byte: number): string => addressFromBytes(new Uint8Array(32).fill(byte));
const [MINT, OTHER, SCHEDULE] = [addressOf(1), addressOf(2), addressOf(3)];
const API = 'https://payouts.example.com';
const SECRET_RPC = 'https://rpc.example.com/v2/provider-key?token=more';

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'payouts-defaults-'));
  file = join(folder, 'config', 'payout', 'defaults.json');
  vi.stubEnv('XDG_CONFIG_HOME', join(folder, 'config'));
  vi.stubEnv('PAYOUT_DEFAULTS', '');
  vi.stubEnv('HOME', folder);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  await rm(folder, { recursive: true, force: true });
});

/** Runs a command in this process. */
async function run(...words: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  const said = { out: '', err: '' };
  for (const [name, stream] of [
    ['out', process.stdout],
    ['err', process.stderr],
  ] as const) {
    vi.spyOn(stream, 'write').mockImplementation((text) => {
      said[name] += text;
      return true;
    });
  }
  const code = await runPayout(words, systemTime);
  vi.restoreAllMocks();
  return { code, ...said };
}

/** What a command would be run with, by these defaults: its options, its operands, its line, and what it says of defaults. */
async function parsed(defaults: Defaults, ...words: readonly string[]) {
  const program = payoutProgram({ defaults });
  let command: Command | undefined;
  const take = (each: Command): void => {
    if (each.commands.length === 0) each.action(() => {});
    for (const inner of each.commands) take(inner);
  };
  take(program);
  program.hook('preAction', (_, found) => {
    command = found;
    dropReplaced(found);
  });
  await program.parseAsync([...words], { from: 'user' });
  const found = command as unknown as Command;
  return {
    options: found.opts() as Record<string, unknown>,
    operands: found.processedArgs as unknown[],
    line: await commandLine(found, ''),
    used: usedDefaults(found, defaults).map(({ text }) => text),
  };
}

it('saves, shows, changes and forgets them, in a file that its owner alone can read', async () => {
  expect((await run('use')).out).toBe('Nothing is saved.\n');
  expect((await run('use', '--api', API, '--token', MINT)).code).toBe(0);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect((await stat(join(file, '..'))).mode & 0o777).toBe(0o700);
  expect(JSON.parse((await run('use', '--rpc', SECRET_RPC, '--json')).out).defaults).toEqual({
    api: API,
    token: MINT,
    rpc: SECRET_RPC,
  });
  const { out } = await run('use');
  for (const part of [API, MINT, 'https://rpc.example.com/…', file]) expect(out).toContain(part);
  expect(out).not.toContain('provider-key');
  await run('use', '--clear', 'token');
  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ api: API, rpc: SECRET_RPC });
  await run('use', '--clear');
  await expect(stat(file)).rejects.toThrow();
});

it('keeps the whole path of a key, and never what it says', async () => {
  const key = join(folder, 'key.json');
  await writeFile(key, '[1,2,3]', { mode: 0o600 });
  const named = key.replace(folder, `${folder}/config/..`);
  await run('use', '--keypair', named);
  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ keypair: key });
  expect(await run('use', '--keypair', join(folder, 'none.json'))).toMatchObject({ code: 1 });
  expect(await run('use', '--keypair', 'usb://ledger')).toMatchObject({ code: 0 });
  expect(await run('use', '--token', 'USDC')).toMatchObject({ code: 2 });
  expect(await run('use', '--api', 'payouts')).toMatchObject({ code: 2 });
});

it('stands below the environment, and that below the command line', async () => {
  const defaults = { api: API, token: MINT };
  const words = ['schedule', 'preview', 'list.csv'];
  expect((await parsed(defaults, ...words)).options).toMatchObject({ api: API, token: MINT });
  vi.stubEnv('PAYOUT_API', 'https://environment.example.com');
  expect((await parsed(defaults, ...words)).options.api).toBe('https://environment.example.com');
  const given = await parsed(defaults, ...words, '--api', 'https://line.example.com', '--token', OTHER);
  expect(given.options).toMatchObject({ api: 'https://line.example.com', token: OTHER });
  expect(given.used).toEqual([]);
  // Whoever names a schedule means its token.
  expect((await parsed(defaults, ...words, '--schedule', SCHEDULE)).options.token).toBeUndefined();
});

it('stands for what a command must be told, and for the schedule that it is about', async () => {
  await expect(parsed({}, 'vault', 'show')).rejects.toThrow();
  expect((await parsed({ token: MINT }, 'vault', 'show')).options.token).toBe(MINT);
  await expect(parsed({}, 'schedule', 'pause')).rejects.toThrow();
  const saved = await parsed({ schedule: SCHEDULE }, 'schedule', 'pause');
  expect(saved.operands).toEqual([[SCHEDULE]]);
  expect(saved.used).toEqual([`--schedule ${SCHEDULE}`]);
  expect((await parsed({ schedule: SCHEDULE }, 'schedule', 'pause', OTHER)).operands).toEqual([[OTHER]]);
  // Which of two operands is left out can't be told.
  await expect(parsed({ schedule: SCHEDULE }, 'receipt', 'export', '3', '--out', 'x')).rejects.toThrow();
  // What is sent for one schedule is not what was sent for another.
  expect(saved.line).not.toBe((await parsed({ schedule: OTHER }, 'schedule', 'pause')).line);
});

it('is said where a command changes something, and where it fails by it', async () => {
  const key = join(folder, 'key.json');
  await readOrCreateKey(key);
  await run('use', '--rpc', 'http://127.0.0.1:9', '--token', MINT, '--api', 'http://127.0.0.1:9');
  const shown = await run('vault', 'show', '--keypair', key);
  expect(shown.err).toContain(`Saved by payout use:\n  --token ${MINT}\n`);
  const changed = await run('vault', 'deposit', '5', '--keypair', key, '--yes');
  expect(changed.err).toContain(`Saved by payout use:\n  --rpc http://127.0.0.1:9\n  --token ${MINT}\n`);
  for (const { err } of [shown, changed]) {
    expect(err.replaceAll(/\n */g, ' ')).toContain(
      'is --rpc the right one? payout use has saved --rpc http://127.0.0.1:9.',
    );
  }
});

it('refuses a file that others may write, or that is something else, and clears it all the same', async () => {
  await run('use', '--token', MINT);
  await chmod(file, 0o620);
  expect((await run('vault', 'show', '--json')).err).toContain('defaults-unsafe');
  await chmod(file, 0o600);
  for (const text of ['not JSON', '{"token":5}', '{"yes":"true"}', '[]x']) {
    await writeFile(file, text);
    expect((await run('vault', 'show', '--json')).err).toContain('defaults-unreadable');
  }
  expect(await run('use', '--clear')).toMatchObject({ code: 0 });
  expect(await run('use')).toMatchObject({ code: 0, out: 'Nothing is saved.\n' });
});

it('touches no command that is about something else', () => {
  const program = payoutProgram();
  applyDefaults(program, { api: API, token: MINT, schedule: SCHEDULE });
  const use = program.commands.find((each) => each.name() === 'use') as Command;
  expect(use.opts()).toEqual({});
});
