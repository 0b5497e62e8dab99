import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runPayout } from '@payouts/cli/payout';
import { systemTime } from '@payouts/client';
import { expect } from 'vitest';
import { PAYOUT, startProgram } from './program.ts';

/** What a command printed, apart, and its exit code. */
export type Printed = { readonly code: number | null; readonly out: string; readonly err: string };

/** Where commands keep what they send and what they were told to save, for each test process: not where this machine's user has it. */
const OWN_OUTBOX = {
  PAYOUT_OUTBOX: join(tmpdir(), `payouts-sent-${process.pid}`),
  PAYOUT_DEFAULTS: join(tmpdir(), `payouts-defaults-${process.pid}.json`),
};

/** The command `payout` in a process of its own, without a terminal. */
export async function payout(env: Readonly<Record<string, string>>, ...words: readonly string[]): Promise<Printed> {
  const child = startProgram(PAYOUT, { ...OWN_OUTBOX, ...env }, words);
  let [out, err] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (out += chunk));
  child.stderr.on('data', (chunk: Buffer) => (err += chunk));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, out, err };
}

/** The same in this process, which saves its start: for tests of many commands. */
export async function payoutHere(env: Readonly<Record<string, string>>, ...words: readonly string[]): Promise<Printed> {
  const before = { ...process.env };
  Object.assign(process.env, OWN_OUTBOX, env);
  const [out, err] = [captured(process.stdout), captured(process.stderr)];
  try {
    const code = await runPayout(words, systemTime);
    return { code, out: out.text, err: err.text };
  } finally {
    for (const output of [out, err]) output.release();
    for (const name of Object.keys({ ...OWN_OUTBOX, ...env })) delete process.env[name];
    Object.assign(process.env, before);
  }
}

function captured(stream: NodeJS.WriteStream): { text: string; release(): void } {
  const { write } = stream;
  const capture = {
    text: '',
    release: () => {
      stream.write = write;
    },
  };
  stream.write = (chunk: string | Uint8Array) => {
    capture.text += chunk;
    return true;
  };
  return capture;
}

/** Addresses, signatures, tokens and secrets, and what is left of them in a short form or in somebody's mistake. */
const RANDOM = /[\w+/=-]{20,}|[1-9A-HJ-NP-Za-km-z]{4}…[1-9A-HJ-NP-Za-km-z]{4}/g;

/** Fails the test when a text shows what a program has instead of a value. */
export function expectNoSlips(text: string, slips = /undefined|\bNaN\b|\[object/): void {
  expect(text).not.toMatch(slips);
  // Three letters in a word are in random names, too, by chance.
  expect(text.replaceAll(RANDOM, '')).not.toContain('NaN');
}

/** Addresses, signatures and paths may be longer than a terminal's line. */
const LONG_NAME = /[/]|[1-9A-HJ-NP-Za-km-z]{32}/;
const WIDTH = 80;

/** Commands for tests of what they do, by how one is run; the test fails when one that must succeed is refused, and the other way round. */
export function commandsBy(run: (...words: readonly string[]) => Promise<Printed>) {
  /** What a command prints that must succeed; its lines fit a terminal but for long names. */
  async function done(...words: readonly string[]): Promise<string> {
    const { code, out, err } = await run(...words);
    expect({ code, err: code === 0 ? '' : err }).toEqual({ code: 0, err: '' });
    expectNoSlips(err + out);
    if (words.includes('--json')) return out;
    for (const line of (out + err).split('\n')) {
      if (!LONG_NAME.test(line)) expect(line.length).toBeLessThanOrEqual(WIDTH);
    }
    return out + err;
  }
  return {
    done,
    /** The same for programs. */
    json: async <T>(...words: readonly string[]): Promise<T> => JSON.parse(await done(...words, '--json')),
    /** The code with which a command is refused that must be. */
    async refused(...words: readonly string[]): Promise<string> {
      const { code, err } = await run(...words, '--json');
      expect(code).not.toBe(0);
      return (JSON.parse(err.trim().split('\n').at(-1) as string) as { error: { code: string } }).error.code;
    },
  };
}
