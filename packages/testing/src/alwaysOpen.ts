import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ROUND_OPEN_SECONDS, ROUND_SECONDS } from '@payouts/client';

const published = fileURLToPath(new URL('../../../program/payouts.so', import.meta.url));
/** Where the program has these seconds: in a round's release, and in what a standing order's release may exceed its range by. */
const PLACES = 2;

/**
 * The ledger program itself, for which a round is open all the time: the layer tells the time by the machine's clock, which can't be turned.
 * Returns the file, in this folder.
 */
export async function alwaysOpen(folder: string): Promise<string> {
  const program = await readFile(published);
  const [open, always] = [ROUND_OPEN_SECONDS, ROUND_SECONDS].map((seconds) =>
    Buffer.from(Int32Array.of(Number(seconds)).buffer),
  ) as [Buffer, Buffer];
  let found = 0;
  for (let at = program.indexOf(open); at >= 0; at = program.indexOf(open, at + 1)) {
    always.copy(program, at);
    found += 1;
  }
  if (found !== PLACES) throw new Error(`The program has a round's length at ${found} places, not at ${PLACES}.`);
  const path = join(folder, 'alwaysOpen.so');
  await writeFile(path, program);
  return path;
}
