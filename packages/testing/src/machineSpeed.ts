/** Milliseconds of processor time that `sample` takes on two cores of a server that nothing slows down: 4 to 6. */
const ORDINARY_MS = 5;
/** Milliseconds between two looks. */
const EVERY_MS = 100;
const STEPS = 3_000_000;
/** Samples until the engine has compiled them. */
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
 * How fast the machine was while another process did something, from 0 to 1, which is an ordinary speed: a shared machine is at times a third
 * as fast, which nothing that it says of itself shows. A time by the clock, times this, is what it would have taken at an ordinary speed.
 */
export async function machineSpeed(work: () => Promise<void>): Promise<number> {
  for (let turn = 0; turn < WARM_UP; turn++) sample();
  const samples = [sample()];
  const looking = setInterval(() => samples.push(sample()), EVERY_MS);
  try {
    await work();
  } finally {
    clearInterval(looking);
  }
  // Of the speeds, not of the samples: in as much time by the clock, so much more is done.
  const speeds = samples.map((took) => ORDINARY_MS / took);
  return Math.min(1, speeds.reduce((sum, speed) => sum + speed, 0) / speeds.length);
}
