import { systemTime } from '@payouts/client';
import { startPostgres } from '@payouts/testing/services';
import { World } from '@payouts/testing/world';
import { type Registered, Registrations } from './registration/rounds.ts';
import { judged, type Measure } from './runner/measure.ts';
import { count } from './runner/options.ts';
import { peakMemory } from './runner/processes.ts';
import { median } from './runner/statistics.ts';
import { timed } from './runner/timed.ts';
import { hashAlone } from './tree/hashAlone.ts';

type Options = { readonly recipients: number; readonly runs: number };

const FLOOR_ROUNDS = 5;

/** The middle of some rounds of the same work. */
async function medianOf(work: () => unknown): Promise<number> {
  const took: number[] = [];
  for (let round = 0; round < FLOOR_ROUNDS; round++) took.push(await timed(work));
  return median(took);
}

export const registration: Measure<Options> = {
  name: 'registration',
  what: 'A list registered over HTTP, on real parts, beside parsing its body and hashing its tree alone.',
  minutes: 2,
  options: (command) =>
    command
      .option('--recipients <n>', 'recipients of each list', count, 80_000)
      .option('--runs <n>', 'measured registrations on each database', count, 5),
  async run({ recipients, runs }, say) {
    const world = await World.start();
    const postgres = await startPostgres(systemTime);
    try {
      const registrations = await Registrations.of(world, recipients);
      const lines: Record<string, string | number>[] = [];
      /** Adds a line; what the registrations took in the middle, and what their body takes alone. */
      const add = async (database: string, what: string, taken: readonly Registered[]) => {
        const { body } = taken[0] as Registered;
        // Node parses JSON best as a whole text at once.
        const parse = await medianOf(() => JSON.parse(body.toString('latin1')));
        const hash = await medianOf(() => hashAlone(recipients));
        const milliseconds = median(taken.map((one) => one.milliseconds));
        lines.push({
          database,
          registration: what,
          'body MB': (body.length / 1e6).toFixed(1),
          'parse alone ms': Math.round(parse),
          'SHA-256 alone ms': Math.round(hash),
          'registration ms': Math.round(milliseconds),
          ratio: (milliseconds / (parse + hash)).toFixed(2),
          'service computed ms': Math.round(median(taken.map((one) => one.computedMs))),
          'longest block ms': Math.round(Math.max(...taken.map((one) => one.longestBlockMs))),
          'peak RSS MB': peakMemory(world.coordinatorPid),
        });
        return { milliseconds, floor: parse + hash };
      };
      /** The first on a service that has just started, then some more, of which the middle counts, then one with proofs. */
      const measure = async (database: string, settings: Readonly<Record<string, string>>) => {
        say(`on ${database}`);
        await world.startCoordinator({ ...settings, METRICS_PUBLIC: 'true' });
        try {
          await add(database, 'the first after the start', [await registrations.registerOne()]);
          const warm: Registered[] = [];
          for (let run = 0; run < runs; run++) warm.push(await registrations.registerOne());
          const middle = await add(database, `median of ${runs}`, warm);
          await add(database, 'with proofs', [await registrations.registerOne(true)]);
          return middle;
        } finally {
          await world.stopCoordinator();
        }
      };
      const server = { DATABASE_URL: await postgres.createDatabase(), PAYLOAD_KEY: world.payloadKey };
      const { milliseconds, floor } = await measure('PostgreSQL', server);
      await measure('PGlite', {});
      const row = judged({
        id: 'registration',
        measure: `registration of ${recipients.toLocaleString('en')}, PostgreSQL`,
        figure: milliseconds,
        unit: 'ms',
        limit: floor,
        limitName: 'parse and hash alone',
        goal: { of: 'ratio', most: 2 },
      });
      return { rows: [row], details: [{ title: 'Registrations', rows: lines }] };
    } finally {
      await postgres.remove();
      await world.stop();
    }
  },
};
