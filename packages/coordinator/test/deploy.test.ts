import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { eachSetting } from '../src/config/specs.ts';

const deploy = fileURLToPath(new URL('../../../deploy', import.meta.url));
const compose = readFileSync(join(deploy, 'compose.yaml'), 'utf8');
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
  const prometheus = readFileSync(join(deploy, 'prometheus', 'prometheus.yml'), 'utf8');
  expect(matches(prometheus, /["']([a-z0-9-]+):3000["']/g)).toEqual(names);
  for (const file of matches(compose, /^ {6}- \.\/(\S+?):/gm)) expect(existsSync(join(deploy, file))).toBe(true);
});

it("Prometheus' configuration is valid", () => {
  const args = ['check', 'config', '--syntax-only', join(deploy, 'prometheus', 'prometheus.yml')];
  expect(execFileSync('promtool', args, { encoding: 'utf8' })).toContain('SUCCESS');
});
