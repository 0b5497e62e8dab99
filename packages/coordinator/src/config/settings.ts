import { isIP } from 'node:net';
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
  /** Tells processes that share a database apart; the same after a restart. */
  readonly instanceName: string;
  readonly databaseUrl: string | undefined;
  readonly databasePoolSize: number;
  readonly migrateOnStart: boolean;
  readonly dataDir: string;
  readonly baseRpcUrl: string;
  readonly baseWsUrl: string;
  readonly layerRpcUrl: string;
  readonly layerWsUrl: string;
  readonly programAddress: Address;
  readonly executionAuthorityKey: string;
  readonly payloadKeyFile: string | undefined;
  readonly rateLimitStoreUrl: string | undefined;
  readonly rateLimitDryRun: boolean;
  readonly registrationsPerMinute: number;
  readonly registrationsAtATime: number;
  readonly readsPerMinute: number;
  /** Addresses or networks, such as 10.0.0.0/8. */
  readonly trustedProxies: readonly string[];
  readonly metricsAuthToken: string | undefined;
  readonly metricsPublic: boolean;
  readonly requestTimeoutMs: number;
  readonly signatureMaxAgeSeconds: number;
  readonly shutdownGraceMs: number;
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
  instanceName: 'INSTANCE_NAME',
  databaseUrl: 'DATABASE_URL',
  databasePoolSize: 'DATABASE_POOL_SIZE',
  migrateOnStart: 'MIGRATE_ON_START',
  dataDir: 'DATA_DIR',
  baseRpcUrl: 'BASE_RPC_URL',
  baseWsUrl: 'BASE_WS_URL',
  layerRpcUrl: 'LAYER_RPC_URL',
  layerWsUrl: 'LAYER_WS_URL',
  programAddress: 'PROGRAM_ADDRESS',
  executionAuthorityKey: 'EXECUTION_AUTHORITY_KEY',
  payloadKeyFile: 'PAYLOAD_KEY_FILE',
  rateLimitStoreUrl: 'RATE_LIMIT_STORE_URL',
  rateLimitDryRun: 'RATE_LIMIT_DRY_RUN',
  registrationsPerMinute: 'REGISTRATIONS_PER_MINUTE',
  registrationsAtATime: 'REGISTRATIONS_AT_A_TIME',
  readsPerMinute: 'READS_PER_MINUTE',
  trustedProxies: 'TRUSTED_PROXIES',
  metricsAuthToken: 'METRICS_AUTH_TOKEN',
  metricsPublic: 'METRICS_PUBLIC',
  requestTimeoutMs: 'REQUEST_TIMEOUT_MS',
  signatureMaxAgeSeconds: 'SIGNATURE_MAX_AGE_SECONDS',
  shutdownGraceMs: 'SHUTDOWN_GRACE_MS',
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
const addressList = makeValidator<readonly string[]>((text) => {
  const parts = text.split(',').map((part) => part.trim());
  for (const part of parts) {
    const [address = '', bits, ...more] = part.split('/');
    const version = isIP(address);
    const isNetwork = bits === undefined || (/^[0-9]{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
    if (version === 0 || !isNetwork || more.length > 0)
      throw new Error(`has "${part}", which is no address or network`);
  }
  return parts;
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
  INSTANCE_NAME: str({ default: 'coordinator', desc: 'name of this process among those that share a database' }),
  DATABASE_URL: str({ default: undefined, desc: 'Postgres; unset: an embedded database under DATA_DIR' }),
  DATABASE_POOL_SIZE: { ...atLeast(4), default: 20, desc: 'connections to Postgres at a time' },
  MIGRATE_ON_START: bool({
    default: true,
    desc: 'bring the database to this version at start; false: only by command',
  }),
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
  RATE_LIMIT_STORE_URL: str({
    default: undefined,
    desc: 'Redis or Valkey that shares the limits between processes; unset: memory',
  }),
  RATE_LIMIT_DRY_RUN: bool({ default: false, desc: 'count and log what would be limited, and let it pass' }),
  REGISTRATIONS_PER_MINUTE: { ...atLeast(1), default: 60, desc: 'registrations a client may begin in a minute' },
  REGISTRATIONS_AT_A_TIME: { ...atLeast(1), default: 4, desc: 'registrations under way at a time in this process' },
  READS_PER_MINUTE: { ...atLeast(1), default: 1_200, desc: 'reads a client may send in a minute' },
  TRUSTED_PROXIES: addressList({
    default: [],
    desc: 'proxies whose X-Forwarded-For is believed: addresses or networks, separated by commas',
  }),
  METRICS_AUTH_TOKEN: str({ default: undefined, desc: 'bearer token that /api/metrics asks for' }),
  METRICS_PUBLIC: bool({ default: false, desc: 'answer /api/metrics without a token' }),
  REQUEST_TIMEOUT_MS: { ...atLeast(1_000), default: 60_000, desc: 'time a request may take to arrive' },
  SIGNATURE_MAX_AGE_SECONDS: { ...atLeast(1), default: 300, desc: 'how long a signed request is good' },
  SHUTDOWN_GRACE_MS: {
    ...atLeast(0),
    default: 10_000,
    desc: 'time for stages under way to end when the service stops',
  },
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
    instanceName: env.INSTANCE_NAME,
    databaseUrl: env.DATABASE_URL,
    databasePoolSize: env.DATABASE_POOL_SIZE,
    migrateOnStart: env.MIGRATE_ON_START,
    dataDir: env.DATA_DIR,
    baseRpcUrl: env.BASE_RPC_URL,
    baseWsUrl: env.BASE_WS_URL ?? websocketBeside(env.BASE_RPC_URL),
    layerRpcUrl: env.LAYER_RPC_URL,
    layerWsUrl: env.LAYER_WS_URL ?? websocketBeside(env.LAYER_RPC_URL),
    programAddress: env.PROGRAM_ADDRESS,
    executionAuthorityKey: env.EXECUTION_AUTHORITY_KEY,
    payloadKeyFile: env.PAYLOAD_KEY_FILE,
    rateLimitStoreUrl: env.RATE_LIMIT_STORE_URL,
    rateLimitDryRun: env.RATE_LIMIT_DRY_RUN,
    registrationsPerMinute: env.REGISTRATIONS_PER_MINUTE,
    registrationsAtATime: env.REGISTRATIONS_AT_A_TIME,
    readsPerMinute: env.READS_PER_MINUTE,
    trustedProxies: env.TRUSTED_PROXIES,
    metricsAuthToken: env.METRICS_AUTH_TOKEN,
    metricsPublic: env.METRICS_PUBLIC,
    requestTimeoutMs: env.REQUEST_TIMEOUT_MS,
    signatureMaxAgeSeconds: env.SIGNATURE_MAX_AGE_SECONDS,
    shutdownGraceMs: env.SHUTDOWN_GRACE_MS,
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
