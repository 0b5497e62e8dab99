/**
 * What a registration costs, over HTTP and on real parts, beside what parsing its body and hashing its tree cost alone in the same run:
 * node --conditions=@payouts/source --import tsx bench/registration.ts [--recipients N] [--runs N] [--json FILE]
 */
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { addressFromBytes, type RecipientList, recipientsToJson } from '@payouts/client';
import { startPostgres } from '@payouts/services';
import { Command } from 'commander';
import { type Employer, World } from '../test/support/world.ts';
import { hashAlone, median, parseAlone } from './registration/floors.ts';
import { type Measured, peakMemory, registerMeasured, untilIdle } from './registration/server.ts';

const options = new Command('bench/registration.ts')
  .option('--recipients <n>', 'recipients of each list', '80000')
  .option('--runs <n>', 'measured registrations on each database', '5')
  .option('--json <file>', 'also write the figures there')
  .parse()
  .opts<{ recipients: string; runs: string; json?: string }>();
const recipients = Number(options.recipients);
const runs = Number(options.runs);

const terms = { executions: 1, firstExecution: BigInt(Math.floor(Date.now() / 1_000) + 7 * 86_400) };
const payees = () =>
  Array.from({ length: recipients }, (_, line) => ({
    recipient: addressFromBytes(randomBytes(32)),
    amount: 1_000_000_007n + BigInt(line),
  }));

function bodyOf({ schedule, list }: Employer, withProofs: boolean): Buffer {
  const entries = recipientsToJson(list.recipients);
  const body = withProofs ? entries.map((entry) => ({ ...entry, proof: proofOf(list, entry.index) })) : entries;
  return Buffer.from(JSON.stringify({ schedulePda: schedule, recipients: body }));
}

const proofOf = ({ tree }: RecipientList, index: number) =>
  tree.proof(index).map((hash) => Buffer.from(hash).toString('hex'));

type Row = Record<string, string | number>;

/** Registers fresh lists, the first on a service that has just started, the last with a proof for every entry. */
async function measure(world: World, database: string, settings: Readonly<Record<string, string>>): Promise<Row[]> {
  await world.startCoordinator({ ...settings, METRICS_PUBLIC: 'true' });
  try {
    const rows: Row[] = [];
    const add = (what: string, body: Buffer, taken: readonly Measured[]) => {
      const parse = parseAlone(body, 5);
      const hash = hashAlone(recipients, 5);
      const milliseconds = median(taken.map((one) => one.milliseconds));
      rows.push({
        database,
        registration: what,
        'body MB': (body.length / 1e6).toFixed(1),
        'parse alone ms': Math.round(parse),
        'SHA-256 alone ms': Math.round(hash),
        'registration ms': Math.round(milliseconds),
        ratio: (milliseconds / (parse + hash)).toFixed(2),
        'service computed ms': median(taken.map((one) => one.computedMs)),
        'longest block ms': Math.round(Math.max(...taken.map((one) => one.longestBlockMs))),
        'peak RSS MB': peakMemory(world.coordinatorPid),
      });
    };
    const registerOne = async (withProofs = false) => {
      const employer = await world.promise(first, payees(), { ...terms, id: nextId++ });
      const body = bodyOf(employer, withProofs);
      await untilIdle(world.coordinatorPid);
      return { body, ...(await registerMeasured(world.apiUrl, world.coordinatorPid, body)) };
    };
    const cold = await registerOne();
    add('the first after the start', cold.body, [cold]);
    const warm = [];
    for (let run = 0; run < runs; run++) warm.push(await registerOne());
    add(`median of ${runs}`, cold.body, warm);
    const proven = await registerOne(true);
    add('with proofs', proven.body, [proven]);
    return rows;
  } finally {
    await world.stopCoordinator();
  }
}

const world = await World.start();
const postgres = await startPostgres();
const first = await world.employer([{ recipient: addressFromBytes(randomBytes(32)), amount: 1n }], terms);
let nextId = 1n;
try {
  const keyFile = join(world.folder, 'payload.key');
  writeFileSync(keyFile, randomBytes(32).toString('hex'), { mode: 0o600 });
  const server = { DATABASE_URL: await postgres.createDatabase(), PAYLOAD_KEY: keyFile };
  const rows = [...(await measure(world, 'PostgreSQL', server)), ...(await measure(world, 'PGlite', {}))];
  console.log(
    `\n${recipients} recipients, Node ${process.version}, ${cpus().length} cores (${cpus()[0]?.model ?? 'unknown'})`,
  );
  console.table(rows);
  if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify({ recipients, rows }, null, 2)}\n`);
} finally {
  await postgres.remove();
  await world.stop();
}
process.exit(0);
