import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../../packages/coordinator/src/main.ts', import.meta.url));

/** One of the operator's commands with these settings, in a process of its own: its exit code and everything it printed. */
export async function runCommand(
  settings: Readonly<Record<string, string>>,
  ...words: readonly string[]
): Promise<{ readonly code: number | null; readonly printed: string }> {
  const tsx = createRequire(import.meta.url).resolve('tsx');
  const child = spawn(process.execPath, ['--conditions=@payouts/source', '--import', tsx, main, ...words], {
    env: { ...process.env, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  for (const output of [child.stdout, child.stderr]) {
    output.on('data', (chunk: Buffer) => {
      printed += chunk;
    });
  }
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, printed };
}
