import { open, rename } from 'node:fs/promises';

/** Writes a text in place of a file's former one, if there is one: whenever the process dies, the file has either, whole. Its owner alone may read it. */
export async function replaceFile(file: string, text: string): Promise<void> {
  const draft = `${file}.${process.pid}.new`;
  const handle = await open(draft, 'w', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(draft, file);
}
