import { open } from 'node:fs/promises';
import { Failure } from './failure.ts';

/** Writes a new file that its owner alone can read. Throws `Failure` file-exists, which names the option that names another. */
export async function writeNewFile(file: string, text: string, option: string): Promise<void> {
  const handle = await open(file, 'wx', 0o600).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== 'EEXIST') throw cause;
    throw new Failure('file-exists', `There is a file ${file} already: name another with ${option}.`, { cause });
  });
  try {
    await handle.writeFile(text);
  } finally {
    await handle.close();
  }
}
