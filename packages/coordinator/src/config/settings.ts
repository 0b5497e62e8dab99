import { isAddressText, PAYOUT_LEDGER_PROGRAM_ADDRESS } from '@payouts/client';
import type { Address } from '@solana/kit';
import { bool, cleanEnv, makeValidator, num, port, str, url } from 'envalid';

/** Settings that contradict each other or can't be read. The message names each setting and says how to mend it. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

/** Everything that can be set; milliseconds, bytes and counts as the names say. */
export type Settings = {
  readonly host: string;
  readonly port: number;
  readonly databaseUrl: string | undefined;
  readonly dataDir: string;
  readonly baseRpcUrl: string;
  readonly baseWsUrl: string;
  readonly layerRpcUrl: string;
  readonly layerWsUrl: string;
  readonly programAddress: Address;
  readonly executionAuthorityKey: string;
  readonly payloadKeyFile: string | undefined;
  readonly pollIntervalMs: number;
  readonly withdrawalIntervalMs: number;
  readonly bodyLimitBytes: number;
  readonly runConcurrency: number;
  readonly claimsInFlight: number;
  readonly stageAttempts: number;
  readonly stageRetryMs: number;
  readonly holdRecheckMs: number;
  readonly logLevel: string;
  readonly logPretty: boolean;
};

/** Names in the environment, in the order of the printed table. */
export const SETTING_NAMES: { readonly [Name in keyof Settings]: string } = {
  host: 'HOST',
  port: 'PORT',
  databaseUrl: 'DATABASE_URL',
  dataDir: 'DATA_DIR',
  baseRpcUrl: 'BASE_RPC_URL',
  baseWsUrl: 'BASE_WS_URL',
  layerRpcUrl: 'LAYER_RPC_URL',
  layerWsUrl: 'LAYER_WS_URL',
  programAddress: 'PROGRAM_ADDRESS',
  executionAuthorityKey: 'EXECUTION_AUTHORITY_KEY',
  payloadKeyFile: 'PAYLOAD_KEY_FILE',
  pollIntervalMs: 'POLL_INTERVAL_MS',
  withdrawalIntervalMs: 'WITHDRAWAL_INTERVAL_MS',
  bodyLimitBytes: 'BODY_LIMIT_BYTES',
  runConcurrency: 'RUN_CONCURRENCY',
  claimsInFlight: 'CLAIMS_IN_FLIGHT',
  stageAttempts: 'STAGE_ATTEMPTS',
  stageRetryMs: 'STAGE_RETRY_MS',
  holdRecheckMs: 'HOLD_RECHECK_MS',
  logLevel: 'LOG_LEVEL',
  logPretty: 'LOG_PRETTY',
};

const portOrAny = makeValidator<number>((text) => (text === '0' ? 0 : port()._parse(text)));
const programAddress = makeValidator<Address>((text) => {
  if (!isAddressText(text)) throw new Error('is not a base-58 address');
  return text;
});
const atLeast = (least: number) =>
  makeValidator<number>((text) => {
    const value = num()._parse(text);
    if (!Number.isInteger(value) || value < least) throw new Error(`is not a whole number of at least ${least}`);
    return value;
  })();

const SPECS = (isTerminal: boolean) => ({
  HOST: str({ default: '127.0.0.1', desc: 'address to listen on' }),
  PORT: portOrAny({ default: 8080, desc: 'port to listen on; 0: any free one' }),
  DATABASE_URL: str({ default: undefined, desc: 'Postgres; unset: an embedded database under DATA_DIR' }),
  DATA_DIR: str({ default: 'data', desc: 'folder of the embedded database and its key' }),
  BASE_RPC_URL: url({ desc: "the base ledger's RPC, such as http://127.0.0.1:8899" }),
  BASE_WS_URL: url({ default: undefined, desc: "the base ledger's websocket; by convention on the RPC's port + 1" }),
  LAYER_RPC_URL: url({ desc: "the execution layer's RPC" }),
  LAYER_WS_URL: url({
    default: undefined,
    desc: "the execution layer's websocket; by convention on the RPC's port + 1",
  }),
  PROGRAM_ADDRESS: programAddress({ default: PAYOUT_LEDGER_PROGRAM_ADDRESS, desc: 'address of the ledger program' }),
  EXECUTION_AUTHORITY_KEY: str({ desc: 'file of the key that opens, claims and commits: a JSON list of 64 numbers' }),
  PAYLOAD_KEY_FILE: str({
    default: undefined,
    desc: 'file of the 32-byte key that encrypts lists, hexadecimal or base64',
  }),
  POLL_INTERVAL_MS: { ...atLeast(50), default: 1_000, desc: 'time between two looks for due schedules' },
  WITHDRAWAL_INTERVAL_MS: { ...atLeast(50), default: 500, desc: 'time between two looks for withdrawals' },
  BODY_LIMIT_BYTES: { ...atLeast(1_024), default: 32 * 1_024 * 1_024, desc: 'largest registration' },
  RUN_CONCURRENCY: { ...atLeast(1), default: 8, desc: 'runs at work at a time' },
  CLAIMS_IN_FLIGHT: { ...atLeast(1), default: 16, desc: 'claim transactions of a run under way at a time' },
  STAGE_ATTEMPTS: { ...atLeast(1), default: 8, desc: 'tries of a stage before a run counts as exhausted' },
  STAGE_RETRY_MS: { ...atLeast(1), default: 500, desc: 'wait before the second try; each further one doubles it' },
  HOLD_RECHECK_MS: { ...atLeast(100), default: 30_000, desc: 'time until a held run is looked at again' },
  LOG_LEVEL: str({ default: 'info', choices: ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] }),
  LOG_PRETTY: bool({ default: isTerminal, desc: 'text for people instead of JSON lines' }),
});

/** Solana's convention: the websocket is on the next port. */
function websocketBeside(rpcUrl: string): string {
  const beside = new URL(rpcUrl);
  beside.protocol = beside.protocol === 'https:' ? 'wss:' : 'ws:';
  if (beside.port !== '') beside.port = String(Number(beside.port) + 1);
  return beside.toString();
}

/** Reads and checks the settings once. Throws `SettingsError` that lists everything wrong with them. */
export function readSettings(environment: Readonly<Record<string, string | undefined>>): Settings {
  const wrong: string[] = [];
  // An empty value is how a shell or a compose file says "unset".
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const specs = SPECS(process.stdout.isTTY === true);
  const env = cleanEnv(given, specs, {
    reporter: ({ errors }) => {
      for (const [name, error] of Object.entries(errors)) {
        const { desc } = specs[name as keyof typeof specs] as { desc?: string };
        wrong.push(
          `${name} ${given[name] === undefined ? 'is not set' : error?.message}. Set it: ${desc ?? 'see the reference'}.`,
        );
      }
    },
  });
  if (wrong.length > 0) throw new SettingsError(wrong.join('\n'));
  const settings: Settings = {
    host: env.HOST,
    port: env.PORT,
    databaseUrl: env.DATABASE_URL,
    dataDir: env.DATA_DIR,
    baseRpcUrl: env.BASE_RPC_URL,
    baseWsUrl: env.BASE_WS_URL ?? websocketBeside(env.BASE_RPC_URL),
    layerRpcUrl: env.LAYER_RPC_URL,
    layerWsUrl: env.LAYER_WS_URL ?? websocketBeside(env.LAYER_RPC_URL),
    programAddress: env.PROGRAM_ADDRESS,
    executionAuthorityKey: env.EXECUTION_AUTHORITY_KEY,
    payloadKeyFile: env.PAYLOAD_KEY_FILE,
    pollIntervalMs: env.POLL_INTERVAL_MS,
    withdrawalIntervalMs: env.WITHDRAWAL_INTERVAL_MS,
    bodyLimitBytes: env.BODY_LIMIT_BYTES,
    runConcurrency: env.RUN_CONCURRENCY,
    claimsInFlight: env.CLAIMS_IN_FLIGHT,
    stageAttempts: env.STAGE_ATTEMPTS,
    stageRetryMs: env.STAGE_RETRY_MS,
    holdRecheckMs: env.HOLD_RECHECK_MS,
    logLevel: env.LOG_LEVEL,
    logPretty: env.LOG_PRETTY,
  };
  const contradictions = contradictionsIn(settings);
  if (contradictions.length > 0) throw new SettingsError(contradictions.join('\n'));
  return settings;
}

function contradictionsIn(settings: Settings): string[] {
  const found: string[] = [];
  const scheme = (
    name: 'baseRpcUrl' | 'baseWsUrl' | 'layerRpcUrl' | 'layerWsUrl',
    allowed: RegExp,
    example: string,
  ) => {
    if (!allowed.test(settings[name]))
      found.push(`${SETTING_NAMES[name]} has the wrong scheme: write it as ${example}.`);
  };
  scheme('baseRpcUrl', /^https?:/, 'http://… or https://…');
  scheme('layerRpcUrl', /^https?:/, 'http://… or https://…');
  scheme('baseWsUrl', /^wss?:/, 'ws://… or wss://…');
  scheme('layerWsUrl', /^wss?:/, 'ws://… or wss://…');
  if (settings.baseRpcUrl === settings.layerRpcUrl) {
    found.push(
      'LAYER_RPC_URL is the same as BASE_RPC_URL: name the execution layer there, which is a ledger of its own.',
    );
  }
  if (settings.databaseUrl !== undefined && !/^postgres(ql)?:/.test(settings.databaseUrl)) {
    found.push('DATABASE_URL is no Postgres address: write it as postgres://…, or unset it for the embedded database.');
  }
  if (settings.databaseUrl !== undefined && settings.payloadKeyFile === undefined) {
    found.push(
      'DATABASE_URL is set but PAYLOAD_KEY_FILE is not: a key that this machine makes up would leave the lists unreadable ' +
        'elsewhere. Write 32 random bytes as hexadecimal into a file (openssl rand -hex 32) and name it in PAYLOAD_KEY_FILE.',
    );
  }
  return found;
}
