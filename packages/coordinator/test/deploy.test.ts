import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { eachSetting } from '../src/config/specs.ts';
import { observeProcess } from '../src/monitoring/process.ts';
import { createMetrics } from '../src/platform/metrics.ts';

const deploy = fileURLToPath(new URL('../../../deploy', import.meta.url));
const read = (path: string) => readFileSync(join(deploy, path), 'utf8');
const compose = read('compose.yaml');
const matches = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, found = '']) => found);

it('compose sets only what can be set', () => {
  const settings = new Set(eachSetting().flatMap(([, name, { secret }]) => (secret ? [name, `${name}_FILE`] : [name])));
  const [shared = ''] = matches(compose, /^x-coordinator:([\s\S]*?)^services:/gm);
  const set = matches(shared, /^ {4}([A-Z_]+):/gm);
  expect(set.length).toBeGreaterThan(8);
  expect(set.filter((name) => !settings.has(name))).toEqual([]);
});

it('compose has three coordinators with names of their own, and Prometheus asks each of them', () => {
  const names = matches(compose, /^ {4}hostname: (\S+)$/gm);
  expect(names).toHaveLength(3);
  expect(new Set(names).size).toBe(3);
  expect(matches(read('prometheus/prometheus.yml'), /["']([a-z0-9-]+):3000["']/g)).toEqual(names);
  for (const file of matches(compose, /^ {6}- \.\/(\S+?):/gm)) expect(existsSync(join(deploy, file))).toBe(true);
});

it('alert rules, their tests and the dashboard use metrics that the service has', async () => {
  const metrics = createMetrics();
  observeProcess(metrics);
  const known = (await metrics.registry.getMetricsAsJSON()).flatMap(({ name, type }) =>
    String(type) === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
  );
  for (const file of ['prometheus/alerts.yml', 'prometheus/alerts.test.yml', 'grafana/payouts.json']) {
    const used = new Set(matches(read(file), /\b(service_[a-z0-9_]+)/g));
    expect(used.size).toBeGreaterThan(0);
    expect(
      [...used].filter((name) => !known.includes(name)),
      file,
    ).toEqual([]);
  }
});

describe('the unit of systemd', () => {
  const unit = read('systemd/payouts-coordinator.service');
  const settings = readFileSync(join(deploy, '../docs/reference/settings.md'), 'utf8');
  /** What a directive is set to, in order. */
  const set = (name: string): string[] => matches(unit, new RegExp(`^${name}=(.*)$`, 'gm'));

  it('sets only what can be set, and secrets by credentials alone', () => {
    const variables = set('Environment').flatMap((line) => matches(line, /(?:^| )([A-Z_]+)=/g));
    variables.push(...matches(read('systemd/coordinator.env.example'), /^([A-Z_]+)=/gm));
    const known = new Map(matches(settings, /^\| (`[A-Z_]+` .*)$/gm).map((row) => [row.split('`')[1], row]));
    for (const variable of variables.filter((name) => name !== 'NODE_ENV')) {
      expect([...known.keys()], variable).toContain(variable.replace(/_FILE$/, ''));
    }
    const credentials = set('LoadCredential').map((line) => line.split(':')[0]);
    const named = set('Environment').flatMap((line) => matches(line, /%d\/(\S+)/g));
    expect(named.sort()).toEqual(credentials.sort());
  });

  it('stops by the signal that the service knows, and waits for longer than its grace time', () => {
    const grace = Number(/`SHUTDOWN_GRACE_MS` \| `(\d+)` ms/.exec(settings)?.[1]);
    expect(set('KillSignal')).toEqual(['SIGTERM']);
    expect(Number.parseInt(set('TimeoutStopSec')[0] ?? '', 10) * 1_000).toBeGreaterThan(grace + 5_000);
  });
});

it('the image runs the service itself, as nobody in particular, with all packages that it is made of', () => {
  const [last = ''] = read('Dockerfile')
    .split(/^FROM /m)
    .slice(-1);
  const copied = matches(last, /^COPY --from=build \/app\/packages\/(\w+)\/dist /gm);
  const { dependencies } = JSON.parse(readFileSync(join(deploy, '../packages/coordinator/package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  const needed = Object.keys(dependencies).flatMap((name) => matches(name, /^@payouts\/(\w+)$/g));
  expect(copied).toEqual(expect.arrayContaining(['coordinator', 'dashboard', ...needed]));
  expect(matches(last, /^USER (\w+)$/gm)).toEqual(['node']);
  // A shell or npm in between would keep SIGTERM from it.
  expect(matches(last, /^ENTRYPOINT (.*)$/gm)).toEqual(['["node", "packages/coordinator/dist/service/main.js"]']);
});
