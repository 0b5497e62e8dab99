import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readKey } from '@payouts/cli';
import type { RecipientJson } from '@payouts/client';
import { freePorts } from '@payouts/localnet';
import { ATTACKED, type Service } from '../service.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
/** Seconds between two windows of its sample: more than the attacks take. */
const INTERVAL = 80_000;
/** What `npm start` says when its first window is settled, and a recipient has withdrawn. */
const RUNNING = /^Running\./m;

function git(args: readonly string[], cwd: string): void {
  const { status, stderr } = spawnSync('git', args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`git ${args[0]} ended with ${status}: ${stderr.trim()}`);
}

/**
 * Another commit of this repository in a folder of its own, started as its documents say: `npm start`, with its sample employer. Nothing of
 * it is imported: what is known of it are its key files and the list that its sample keeps.
 */
export async function checkout(
  commit: string,
  recipients: number,
): Promise<{ readonly service: Service; stop(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'payouts-attacked-'));
  const code = join(folder, 'code');
  const data = join(folder, 'data');
  git(['clone', '--quiet', '--no-checkout', root, code], root);
  git(['checkout', '--quiet', commit], code);
  const port = await freePorts(5);
  const ports = ['--port', port, '--base-port', port + 1, '--layer-port', port + 3].map(String);
  const sample = ['--dir', data, '--recipients', String(recipients), '--interval', String(INTERVAL)];
  // A process group of its own, so that all of it ends.
  const child = spawn('npm', ['start', '--', ...ports, ...sample], {
    cwd: code,
    env: { ...process.env, ...ATTACKED },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let said = '';
  const stop = async () => {
    if (child.exitCode === null && child.pid !== undefined) {
      // What it has started holds its output until it has ended, too.
      const gone = once(child, 'close');
      process.kill(-child.pid, 'SIGTERM');
      await gone;
    }
    await rm(folder, { recursive: true, force: true });
  };
  await new Promise<void>((resolve, reject) => {
    const hear = (chunk: Buffer) => {
      said += chunk;
      if (RUNNING.test(said)) resolve();
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    child.once('exit', (status) =>
      reject(new Error(`npm start of ${commit} ended with ${status}:\n${said.slice(-2_000)}`)),
    );
  }).catch(async (error) => {
    await stop();
    throw error;
  });
  const service = { ...(await known(data)), title: commit, urls: [`http://127.0.0.1:${port}`] as const };
  return { service, stop };
}

async function known(data: string): Promise<Omit<Service, 'title' | 'urls'>> {
  const key = (name: string) => readKey(join(data, `${name}.json`));
  const [signer, recipient, operator] = await Promise.all([
    key('sample/employer'),
    key('sample/recipient'),
    key('keys/operator'),
  ]);
  const remembered = JSON.parse(await readFile(join(data, 'sample/schedule.json'), 'utf8')) as {
    schedule: string;
    recipients: RecipientJson[];
  };
  const employer = { signer, schedule: remembered.schedule, list: remembered.recipients };
  return { employer, recipient, operator, long: employer, has: ['public-webhooks'] };
}
