import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../../packages/cli/src/payout/main.ts', import.meta.url));

/** What a command printed, apart, and its exit code. */
export type Printed = { readonly code: number | null; readonly out: string; readonly err: string };

/** The command `payout` in a process of its own, without a terminal. */
export async function payout(env: Readonly<Record<string, string>>, ...words: readonly string[]): Promise<Printed> {
  const tsx = createRequire(import.meta.url).resolve('tsx');
  const child = spawn(process.execPath, ['--conditions=@payouts/source', '--import', tsx, main, ...words], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [out, err] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (out += chunk));
  child.stderr.on('data', (chunk: Buffer) => (err += chunk));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, out, err };
}
