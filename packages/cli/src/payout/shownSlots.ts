import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ShownSlots } from '@payouts/client';

const HASH_LETTERS = 16;

/** An RPC's address may hold a key, so its file has its hash for a name. */
const fileOf = (folder: string, rpc: string): string =>
  join(folder, `slots-${createHash('sha256').update(rpc).digest('hex').slice(0, HASH_LETTERS)}`);

/** What a command has seen of a ledger last; undefined where that can't be read: a command does without. */
export async function readShownSlots(folder: string, rpc: string): Promise<ShownSlots | undefined> {
  const text = await readFile(fileOf(folder, rpc), 'utf8').catch(() => '');
  try {
    return (JSON.parse(text) as ShownSlots | null) ?? undefined;
  } catch {
    return undefined;
  }
}

/**
 * Keeps it for the next command: its node may be behind the one that showed this command that its transaction landed. What landed has not
 * failed because this can't be kept.
 */
export async function keepShownSlots(folder: string, rpc: string, shown: ShownSlots): Promise<void> {
  const write = async () => {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeFile(fileOf(folder, rpc), JSON.stringify(shown), { mode: 0o600 });
  };
  await write().catch(() => {});
}
