import { copyFile, mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { World } from '@payouts/testing/world';

/** Copies every log of a world to a folder that stays, and returns its path. */
export async function keepLogsOf({ folder }: World): Promise<string> {
  const kept = await mkdtemp(join(tmpdir(), 'payouts-faults-'));
  const logs = (await readdir(folder)).filter((name) => name.endsWith('.log'));
  for (const name of logs) await copyFile(join(folder, name), join(kept, name));
  await copyFile(join(folder, 'localnet', 'layer', 'validator.log'), join(kept, 'validator.log'));
  return kept;
}
