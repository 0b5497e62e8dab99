import { once } from 'node:events';
import { runPayout } from '@payouts/cli/payout';
import { systemTime } from '@payouts/client';
import { startProgram } from './program.ts';

/** What a command printed, apart, and its exit code. */
export type Printed = { readonly code: number | null; readonly out: string; readonly err: string };

/** The command `payout` in a process of its own, without a terminal. */
export async function payout(env: Readonly<Record<string, string>>, ...words: readonly string[]): Promise<Printed> {
  const child = startProgram('cli/dist/payout/main.js', env, words);
  let [out, err] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (out += chunk));
  child.stderr.on('data', (chunk: Buffer) => (err += chunk));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, out, err };
}

/** The same in this process, which saves its start: for tests of many commands. */
export async function payoutHere(env: Readonly<Record<string, string>>, ...words: readonly string[]): Promise<Printed> {
  const before = { ...process.env };
  Object.assign(process.env, env);
  const [out, err] = [captured(process.stdout), captured(process.stderr)];
  try {
    const code = await runPayout(words, systemTime);
    return { code, out: out.text, err: err.text };
  } finally {
    for (const output of [out, err]) output.release();
    for (const name of Object.keys(env)) delete process.env[name];
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
