import { createHash } from 'node:crypto';

/** Windows of one world; the last may have fewer. */
const WINDOWS_OF_A_WORLD = 400;

/** How many worlds so many windows are. */
export const worldsOf = (windows: number): number => Math.ceil(windows / WINDOWS_OF_A_WORLD);

/** World `place` of a simulation of so many windows. */
export function worldAt(simulation: { readonly seed: number; readonly windows: number }, place: number) {
  return {
    seed: createHash('sha256').update(`${simulation.seed} ${place}`).digest().readUInt32LE(0),
    windows: Math.min(simulation.windows - place * WINDOWS_OF_A_WORLD, WINDOWS_OF_A_WORLD),
  };
}

/** One text for the traces of all worlds, in their order. */
export function traceOf(worlds: readonly { readonly place: number; readonly trace: string }[]): string {
  const all = createHash('sha256');
  for (const { place, trace } of worlds) all.update(`${place} ${trace}\n`);
  return all.digest('hex').slice(0, 32);
}
