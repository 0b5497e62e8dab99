/** Builds the file that embedded databases are made of, once for each version of their tables. Run when the service is installed. */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { systemTime } from '@payouts/client';
import { openEmbedded } from './embedded.ts';
import { kyselyOver } from './openDatabase.ts';
import { prepareDatabase } from './prepare.ts';
import { templateFile } from './template.ts';

const file = templateFile();
if (!existsSync(file)) {
  const folder = await mkdtemp(join(tmpdir(), 'payouts-template-'));
  try {
    const { pool, dump, close } = await openEmbedded(folder, () => {});
    await prepareDatabase({ pool, query: kyselyOver(pool) }, undefined, systemTime);
    const { bytes } = await dump();
    await close();
    await mkdir(dirname(file), { recursive: true });
    // Under another name first, so that it is there whole or not at all.
    const unfinished = `${file}.${process.pid}`;
    await writeFile(unfinished, bytes);
    await rename(unfinished, file);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
