import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Where Solana's own command line keeps its settings and its key. */
export const SOLANA_FOLDER = join(homedir(), '.config', 'solana');

/** A setting of Solana's own command line; undefined where it has none. */
export async function solanaSetting(name: 'json_rpc_url' | 'keypair_path'): Promise<string | undefined> {
  const config = await readFile(join(SOLANA_FOLDER, 'cli', 'config.yml'), 'utf8').catch(() => '');
  return new RegExp(`^${name}:[ \\t]*(['"]?)(.+?)\\1[ \\t]*$`, 'm').exec(config)?.[2];
}
