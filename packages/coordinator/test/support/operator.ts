import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemTime } from '@payouts/client';
import { vi } from 'vitest';
import { runCommand } from '../../src/commands/index.ts';

/** What a command came to. */
export type Ended = { readonly code: number; readonly printed: string; readonly said: string };

/** Settings of a coordinator whose folder this is, and whose ledgers do not answer, with a payload key in a file. */
export function operatorSettings(
  folder: string,
  settings: Readonly<Record<string, string | undefined>>,
): Record<string, string | undefined> & { PAYLOAD_KEY: string } {
  const payloadKey = join(folder, 'payload.key');
  writeFileSync(payloadKey, randomBytes(32).toString('hex'), { mode: 0o600 });
  return {
    DATA_DIR: join(folder, 'data'),
    PAYLOAD_KEY: payloadKey,
    BASE_RPC_URL: 'http://127.0.0.1:9',
    LAYER_RPC_URL: 'http://127.0.0.1:11',
    EXECUTION_AUTHORITY_KEY: join(folder, 'authority.json'),
    ...settings,
  };
}

/** Runs one of the coordinator's commands with these settings alone, in this process: a process of its own takes seconds to start. */
export async function operate(
  settings: Readonly<Record<string, string | undefined>>,
  ...words: readonly string[]
): Promise<Ended> {
  for (const [name, value] of Object.entries(settings)) vi.stubEnv(name, value);
  let printed = '';
  let said = '';
  const output = vi.spyOn(process.stdout, 'write').mockImplementation(((text: string, done?: () => void) => {
    printed += text;
    done?.();
    return true;
  }) as typeof process.stdout.write);
  const complaints = vi.spyOn(console, 'error').mockImplementation((text: unknown) => {
    said += `${text}\n`;
  });
  try {
    const code = await runCommand(words, { time: systemTime });
    return { code, printed, said };
  } finally {
    output.mockRestore();
    complaints.mockRestore();
    vi.unstubAllEnvs();
  }
}
