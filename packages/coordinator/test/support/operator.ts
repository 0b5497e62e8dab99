import { systemTime } from '@payouts/client';
import { vi } from 'vitest';
import { runCommand } from '../../src/commands/index.ts';

/** What a command came to. */
export type Ended = { readonly code: number; readonly printed: string; readonly said: string };

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
