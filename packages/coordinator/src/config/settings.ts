import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { cleanEnv } from 'envalid';
import { contradictionsIn } from './contradictions.ts';
import { SettingsError } from './settingsError.ts';
import { eachSetting, environmentName, type SettingKey, type Settings, settingSpecs, type ValueOf } from './specs.ts';

export { SettingsError };

const LONGEST_INSTANCE_NAME = 63;

type Environment = Readonly<Record<string, string | undefined>>;

/** Solana's convention: the websocket is on the next port. */
const websocketsBeside = (rpcUrls: string): string => rpcUrls.split(',').map(websocketBeside).join();

function websocketBeside(rpcUrl: string): string {
  const beside = new URL(rpcUrl);
  beside.protocol = beside.protocol === 'https:' ? 'wss:' : 'ws:';
  if (beside.port !== '') beside.port = String(Number(beside.port) + 1);
  return beside.toString();
}

/** The host's name, which each container and each pod has for itself; written as an instance's name may be. */
function hostInstanceName(): string {
  const name = hostname()
    .replaceAll(/[^A-Za-z0-9._-]/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, LONGEST_INSTANCE_NAME);
  return name === '' ? 'coordinator' : name;
}

/** The values given, those of secrets also from the files that NAME_FILE names. */
function givenValues(environment: Environment, wrong: string[]): Record<string, string> {
  const given: Record<string, string> = {};
  for (const [, name, { secret }] of eachSetting()) {
    // An empty value is how a shell or a compose file says "unset".
    const value = environment[name];
    if (value !== undefined && value !== '') given[name] = value;
    const file = secret === undefined ? undefined : environment[`${name}_FILE`];
    if (file === undefined || file === '') continue;
    if (given[name] !== undefined) {
      wrong.push(`${name} and ${name}_FILE are both set: unset one of them.`);
      continue;
    }
    try {
      given[name] = readFileSync(file, 'utf8').trim();
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      wrong.push(`${name}_FILE can't be read (${code}): check that the file ${file} exists and is readable.`);
    }
  }
  return given;
}

/** Reads and checks the settings once. Throws `SettingsError` that lists everything wrong with them. */
export function readSettings(environment: Environment): Settings {
  const wrong: string[] = [];
  const given = givenValues(environment, wrong);
  const specs = settingSpecs(process.stdout.isTTY === true);
  const byName = Object.fromEntries(
    Object.entries(specs).map(([key, spec]) => [environmentName(key as SettingKey), spec]),
  );
  const values: Readonly<Record<string, unknown>> = cleanEnv(given, byName, {
    reporter: ({ errors }) => {
      for (const [name, error] of Object.entries(errors)) {
        if (given[name] === undefined && wrong.some((sentence) => sentence.startsWith(name))) continue;
        const { desc, secret } = byName[name] as { desc?: string; secret?: string };
        // The value of a secret, malformed as it is, does not belong on a screen.
        const what = given[name] === undefined ? 'is not set' : secret ? 'is malformed' : error?.message;
        wrong.push(`${name} ${what}. Set it: ${desc}.`);
      }
    },
  });
  if (wrong.length > 0) throw new SettingsError(wrong.join('\n'));
  const read = Object.fromEntries(
    Object.keys(specs).map((key) => [key, values[environmentName(key as SettingKey)]]),
  ) as { [Key in SettingKey]: ValueOf<Key> };
  const settings: Settings = {
    ...read,
    baseWsUrl: read.baseWsUrl ?? websocketsBeside(read.baseRpcUrl),
    instanceName: read.instanceName ?? hostInstanceName(),
  };
  const contradictions = contradictionsIn(settings);
  if (contradictions.length > 0) throw new SettingsError(contradictions.join('\n'));
  return settings;
}
