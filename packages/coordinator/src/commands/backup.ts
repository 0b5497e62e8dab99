import { join, resolve } from 'node:path';
import { dumpEmbedded } from '../backup/embedded.ts';
import { writeBackup } from '../backup/file.ts';
import { dumpingServer } from '../backup/server.ts';
import { keyReference } from '../config/keyReference.ts';
import { readSettings } from '../config/settings.ts';
import type { Settings } from '../config/specs.ts';
import { startupError } from '../startupError.ts';
import { manifestText } from '../store/db/manifest.ts';
import { command, fileOperand, show } from './command.ts';

/** The service may run meanwhile. */
export const backup = command({
  synopsis: 'FILE [--json]',
  summary: 'writes the whole database into a new file, as of one moment; the payload key is to be kept apart',
  options: { json: { type: 'boolean', default: false } },
  async run({ json }, operands, { time }) {
    const file = fileOperand(operands);
    const settings = readSettings(process.env);
    const { databaseUrl, dataDir } = settings;
    const now = new Date(time.now());
    const manifest = await (databaseUrl === undefined
      ? writeBackup(file, await dumpEmbedded(dataDir), now)
      : dumpingServer(databaseUrl, (dump) => writeBackup(file, dump, now))
    ).catch((error: unknown) => {
      throw startupError(error, settings);
    });
    const payloadKey = placeOfKey(settings);
    await show(json, { file, ...manifest, payloadKey }, [
      `Backed up into ${file}:`,
      `  ${manifestText(manifest)}`,
      `Its payload key is not in it: it is ${payloadKey}.`,
      'Keep a copy of the key, apart from this file: without it nothing of it can be read, with it everything.',
    ]);
    return 0;
  },
});

/** Where the payload key is, in words. */
export function placeOfKey({ payloadKey, dataDir }: Settings): string {
  const reference = keyReference(payloadKey ?? join(dataDir, 'payload.key'));
  if (reference.kind === 'file') return `the file ${resolve(reference.path)}`;
  return reference.kind === 'variable' ? `the variable ${reference.name}` : `Vault's key ${reference.key}`;
}
