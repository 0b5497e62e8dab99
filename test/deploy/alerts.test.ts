import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createMetrics, observeProcess } from '@payouts/coordinator/testing';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../packages/coordinator/test/support/temporary.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const rules = join(root, 'deploy/prometheus/alerts.yml');
const tests = join(root, 'deploy/prometheus/alerts.test.yml');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

/** What promtool says; throws with it when it is not content. */
function promtool(args: readonly string[], input = ''): string {
  try {
    return execFileSync('promtool', args, { encoding: 'utf8', input, stdio: ['pipe', 'pipe', 'pipe'] });
  } catch (error) {
    const { code, stdout = '', stderr = '' } = error as { code?: string; stdout?: string; stderr?: string };
    if (code === 'ENOENT') throw new Error('promtool is not here: install it (apt-get install prometheus).');
    throw new Error(stdout + stderr);
  }
}

const matches = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, found = '']) => found);

const alerts = matches(read('deploy/prometheus/alerts.yml'), /- alert: (\w+)/g);

/** Every expression of the dashboard, with its variables filled in. */
function dashboardQueries(): string[] {
  const queries: string[] = [];
  const collect = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [name, inner] of Object.entries(value)) {
      if (name === 'expr' && typeof inner === 'string') queries.push(inner);
      else collect(inner);
    }
  };
  collect(JSON.parse(read('deploy/grafana/payouts.json')));
  return queries.map((query) => query.replaceAll('$job', '.*').replaceAll('$__rate_interval', '5m'));
}

describe('alert rules', () => {
  it('are valid', () => {
    expect(promtool(['check', 'rules', '--lint=all', '--lint-fatal', rules])).toContain(`${alerts.length} rules found`);
  });

  it('fire when they should, and not when they should not', () => {
    expect(promtool(['test', 'rules', tests])).toContain('SUCCESS');
  });

  it('are all tried, each with a time at which it does not fire', () => {
    const tried = new Set(matches(read('deploy/prometheus/alerts.test.yml'), /alertname="(\w+)"/g));
    expect(alerts.filter((name) => !tried.has(name))).toEqual([]);
    for (const test of read('deploy/prometheus/alerts.test.yml').split('  - name: ').slice(1)) {
      expect(test).toContain('exp_samples: []');
    }
  });

  it('each have a section of the documentation that says what to do', () => {
    const links = matches(read('deploy/prometheus/alerts.yml'), /runbook_url: (\S+)/g);
    expect(links).toHaveLength(alerts.length);
    const sections = new Set(
      matches(read('docs/operating/alerts.md'), /^## (\w+)$/gm).map((name) => name.toLowerCase()),
    );
    for (const [place, name] of alerts.entries()) {
      expect(links[place]).toBe(`docs/operating/alerts.md#${name.toLowerCase()}`);
      expect(sections).toContain(name.toLowerCase());
    }
    expect(sections.size).toBe(alerts.length);
  });

  it('each have a line of the table that says how bad it is, where to look and whom to wake', () => {
    const rules = read('deploy/prometheus/alerts.yml');
    const severity = new Map(
      [...rules.matchAll(/- alert: (\w+)[\s\S]*?severity: (\w+)/g)].map(([, name, how]) => [name, how] as const),
    );
    const rows = [...read('docs/operating/alerts.md').matchAll(/^\| `(\w+)` \| (\w+) \| (.+) \| (.+) \| (.+) \|$/gm)];
    expect(new Map(rows.map(([, name, how]) => [name, how] as const))).toEqual(severity);
    expect(rows).toHaveLength(alerts.length);
    for (const [, name, how, , , whom = ''] of rows) {
      if (how === 'critical') expect(whom, name).toContain('operator at once');
    }
  });
});

describe('the dashboard', () => {
  it('asks what Prometheus understands', () => {
    const asked = dashboardQueries();
    expect(asked.length).toBeGreaterThan(30);
    const records = asked.map((query, place) => ({ record: `query:${place}`, expr: query }));
    const file = join(temporaryFolder(), 'queries.yml');
    // JSON is YAML.
    writeFileSync(file, JSON.stringify({ groups: [{ name: 'dashboard', rules: records }] }));
    expect(promtool(['check', 'rules', file])).toContain(`${asked.length} rules found`);
  });

  it('has a data source to choose, and panels that lie side by side', () => {
    type Panel = {
      id: number;
      type: string;
      datasource?: { uid: string };
      gridPos: { x: number; y: number; w: number; h: number };
    };
    const { panels } = JSON.parse(read('deploy/grafana/payouts.json')) as { panels: Panel[] };
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const taken = new Set<string>();
    for (const { type, datasource, gridPos } of panels) {
      if (type !== 'row') expect(datasource?.uid).toMatch(/^\$\{datasource\}$/);
      expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++) {
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
          expect(taken).not.toContain(`${x} ${y}`);
          taken.add(`${x} ${y}`);
        }
      }
    }
  });
});

it('the metrics have names and texts as Prometheus wants them', async () => {
  const metrics = createMetrics();
  observeProcess(metrics);
  expect(promtool(['check', 'metrics'], await metrics.scrape())).toBe('');
});

it('the configuration is valid', () => {
  expect(promtool(['check', 'config', '--syntax-only', join(root, 'deploy/prometheus/prometheus.yml')])).toContain(
    'SUCCESS',
  );
});
