import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePorts } from '@payouts/localnet';
import { until, World } from '@payouts/testing/world';
import { beforeAll, expect, it } from 'vitest';
import { type Built, replay } from './dockerfile.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

let world: World;
let image: Built;
beforeAll(async () => {
  world = await World.start();
  // Packages that npm has seen already are not fetched anew.
  process.env.npm_config_prefer_offline = 'true';
  image = replay(root, join(root, 'deploy/Dockerfile'), join(world.folder, 'image'));
}, 600_000);

it('has the coordinator and what it needs, and nothing that only builds and tests need', () => {
  const packages = ['client', 'coordinator', 'dashboard', 'recipient-page'];
  expect(readdirSync(join(image.folder, 'packages')).sort()).toEqual(packages);
  for (const name of packages) {
    expect(readdirSync(join(image.folder, 'packages', name)).sort()).toContain('dist');
    expect(existsSync(join(image.folder, 'packages', name, 'src'))).toBe(false);
  }
  for (const name of ['typescript', 'vitest', 'tsx', 'codama']) {
    expect(existsSync(join(image.folder, 'node_modules', name)), name).toBe(false);
  }
  expect(image.user).not.toBe('root');
});

it('serves its health from the embedded database, and ends at SIGTERM by itself', async () => {
  const [program = '', ...words] = image.entrypoint;
  const port = await freePorts(1);
  const settings = { ...world.settings, ...image.env, HOST: '127.0.0.1', PORT: String(port) };
  const child = spawn(program === 'node' ? process.execPath : program, words, {
    cwd: image.folder,
    env: { PATH: process.env.PATH, ...settings },
    stdio: 'ignore',
  });
  const health = await until(
    async () => {
      const answer = await fetch(`http://127.0.0.1:${port}/api/health`).catch(() => undefined);
      return answer?.ok ? ((await answer.json()) as { status: string; database: string }) : undefined;
    },
    'the image to answer',
    120_000,
  );
  expect(health).toMatchObject({ status: 'healthy' });
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  expect(await gone).toEqual([0, null]);
}, 200_000);
