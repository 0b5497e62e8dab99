/** Milliseconds of processor time that `sample` takes on the machine on which the goals were set. */
const ORDINARY_MS = 5;
/** Milliseconds between two looks. */
const EVERY_MS = 100;
const STEPS = 3_000_000;
/** Before it, the engine has not compiled the sample. */
const WARM_UP = 5;

/** Milliseconds of processor time for some work that is always the same. */
function sample(): number {
  const before = process.cpuUsage();
  let sum = 0;
  for (let step = 0; step < STEPS; step++) sum += step % 7;
  if (sum === 0) throw new Error('The sample was left out.');
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/**
 * How fast the machine was while something was done, from 0 to 1: a shared machine is at times a third as fast as an ordinary one, which
 * nothing that it says of itself shows. A time by the clock, times this, is what it would have taken on an ordinary one.
 */
export async function machineSpeed(work: () => Promise<void>): Promise<number> {
  for (let turn = 0; turn < WARM_UP; turn++) sample();
  const speeds = [ORDINARY_MS / sample()];
  const looking = setInterval(() => speeds.push(ORDINARY_MS / sample()), EVERY_MS);
  try {
    await work();
  } finally {
    clearInterval(looking);
  }
  return Math.min(1, speeds.reduce((sum, speed) => sum + speed, 0) / speeds.length);
}
