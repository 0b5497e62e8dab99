import { join, resolve } from 'node:path';
import { dumpEmbedded } from '../backup/embedded.ts';
import { writeBackup } from '../backup/file.ts';
import { dumpingServer } from '../backup/server.ts';
import { keyReference } from '../config/keyReference.ts';
import { readSettings } from '../config/settings.ts';
import type { Settings } from '../config/specs.ts';
import { startupError } from '../startupError.ts';
import { manifestText } from '../store/db/manifest.ts';
import { command, print, UsageError } from './command.ts';

/** The service may run meanwhile. */
export const backup = command({
  synopsis: 'FILE [--json]',
  summary: 'writes the whole database into a new file, as of one moment; the payload key is to be kept apart',
  options: { json: { type: 'boolean', default: false } },
  async run({ json }, [named, ...more], { time }) {
    if (named === undefined || more.length > 0) throw new UsageError('It takes the name of one file.');
    const file = resolve(named);
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
    if (json) {
      await print(JSON.stringify({ file, ...manifest, payloadKey }, null, 2));
      return 0;
    }
    await print(`Backed up into ${file}:\n  ${manifestText(manifest)}`);
    await print(`Its payload key is not in it: it is ${payloadKey}.`);
    await print(
      'Keep a copy of the key, apart from this file: without it nothing of it can be read, with it everything.',
    );
    return 0;
  },
});

/** Where the payload key is, in words. */
export function placeOfKey({ payloadKey, dataDir }: Settings): string {
  const reference = keyReference(payloadKey ?? join(dataDir, 'payload.key'));
  if (reference.kind === 'file') return `the file ${resolve(reference.path)}`;
  return reference.kind === 'variable' ? `the variable ${reference.name}` : `Vault's key ${reference.key}`;
}
