import { isIP } from 'node:net';
import { DEFAULT_FEES, isAddressText, PAYOUT_LEDGER_PROGRAM_ADDRESS } from '@payouts/client';
import type { Address } from '@solana/kit';
import { bool, makeValidator, port, str, url } from 'envalid';

/** Parts of the reference's table, in its order. */
export const GROUPS = {
  ledgers: 'Ledgers',
  keys: 'Keys',
  database: 'Database',
  api: 'API',
  dashboard: 'Dashboard',
  limits: 'Limits',
  metrics: 'Metrics and log',
  work: 'Work',
} as const;

/** What is secret of a value: all of it, or what an address carries: password, query and long parts of its path. */
type Secret = 'whole' | 'url';
type Place = {
  readonly group: keyof typeof GROUPS;
  readonly unit?: string | undefined;
  readonly secret?: Secret;
  /** Its values look like keys, and are known to everybody. */
  readonly isPublicKey?: boolean;
};

const portOrAny = makeValidator<number>((text) => (text === '0' ? 0 : port()._parse(text)));
const programAddress = makeValidator<Address>((text) => {
  if (!isAddressText(text)) throw new Error('is not a base-58 address');
  return text;
});
const instanceName = makeValidator<string>((text) => {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/.test(text)) {
    throw new Error('is not 1 to 63 letters, digits, dots, hyphens or underscores');
  }
  return text;
});
/** Values that commas separate. */
const listOf = <T>(read: (part: string) => T) =>
  makeValidator<readonly T[]>((text) => text.split(',').map((part) => read(part.trim())));
const ledgerAddresses = listOf<Address>((part) => {
  if (!isAddressText(part)) throw new Error(`has "${part}", which is no base-58 address`);
  return part;
});
const addressList = listOf<string>((part) => {
  const [address = '', bits, ...more] = part.split('/');
  const version = isIP(address);
  const isNetwork = bits === undefined || (/^[0-9]{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
  if (version === 0 || !isNetwork || more.length > 0) throw new Error(`has "${part}", which is no address or network`);
  return part;
});
const origins = listOf<string>((part) => {
  const isOrigin = /^https?:/.test(part) && URL.canParse(part) && new URL(part).origin === part;
  if (!isOrigin) throw new Error(`has "${part}", which is no origin such as https://payouts.example.com`);
  return part;
});

/** As @phala/dcap-qvl has them, without those that nobody should accept. */
const STATUSES = ['UpToDate', 'SWHardeningNeeded', 'ConfigurationNeeded', 'ConfigurationAndSWHardeningNeeded'] as const;
const statuses = listOf<(typeof STATUSES)[number]>((part) => {
  const status = STATUSES.find((each) => each === part);
  if (status === undefined) throw new Error(`has "${part}", which is none of ${STATUSES.join(', ')}`);
  return status;
});
/** Addresses of one ledger, the preferred one first, as commas separate them. */
const ledgerUrls = makeValidator<string>((text) => {
  const parts = text.split(',').map((part) => part.trim());
  const wrong = parts.find((part) => !URL.canParse(part));
  if (wrong !== undefined) throw new Error('has something that is no address such as https://ledger.example');
  return parts.join();
});
const words = listOf<string>((part) => part);

/** A whole number from `least` to `most`, counted in a unit. */
const whole = (least: number, most: number, unit?: string) => {
  const isUnbounded = most === Number.POSITIVE_INFINITY;
  const validator = makeValidator<number>((text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && Number.isSafeInteger(value) && value >= least && value <= most) return value;
    throw new Error(`is not a whole number ${isUnbounded ? `of at least ${least}` : `from ${least} to ${most}`}`);
  });
  return (spec: { readonly default: number; readonly desc: string }) => ({ ...validator(spec), unit });
};
const atLeast = (least: number, unit?: string) => whole(least, Number.POSITIVE_INFINITY, unit);
const publicKey = <Spec extends object>(spec: Spec) => ({ ...spec, isPublicKey: true });
const secret = <Spec extends object>(what: Secret, spec: Spec) => ({ ...spec, secret: what });

/** Has each setting of a group say which it belongs to. */
const inGroup = <Group extends Place['group'], Specs extends Record<string, Omit<SettingSpec, 'group'>>>(
  group: Group,
  specs: Specs,
) =>
  Object.fromEntries(Object.entries(specs).map(([key, spec]) => [key, { ...spec, group }])) as unknown as {
    [Key in keyof Specs]: Specs[Key] & Place;
  };

const ledgers = inGroup('ledgers', {
  baseRpcUrl: secret(
    'url',
    ledgerUrls({
      desc:
        "the base ledger's RPC, such as http://127.0.0.1:8899; several nodes of it separated by commas: the first is asked while it " +
        'answers, the others where it is down, behind, busy or does not offer a call',
    }),
  ),
  baseWsUrl: secret(
    'url',
    ledgerUrls({
      default: undefined,
      desc: "the base ledger's websocket, or several separated by commas, taken in turn; unset: each RPC's port + 1",
    }),
  ),
  priorityFeeFloor: whole(
    0,
    1_000_000_000,
    'micro-lamports',
  )({
    default: Number(DEFAULT_FEES.floor),
    desc: "least priority fee of the service's transactions on the base ledger, for a compute unit",
  }),
  priorityFeeCap: whole(
    0,
    1_000_000_000,
    'micro-lamports',
  )({
    default: Number(DEFAULT_FEES.cap),
    desc:
      'most of it, however much recent transactions of others paid: by its default a window, which may use 300,000 units, costs 150,000 ' +
      'lamports of priority fees at most; 0: none is ever paid',
  }),
  layerRpcUrl: secret('url', url({ desc: "the execution layer's RPC, such as http://127.0.0.1:7799" })),
  layerBalances: atLeast(240)({
    default: 1_200_000,
    desc: 'private balances that the execution layer has room for, of all tokens: no window opens that needs more',
  }),
  layerSignIn: bool({
    default: false,
    desc: "sign in to the execution layer with the execution authority's key, as private ones ask",
  }),
  layerMeasurements: str({
    default: undefined,
    desc: 'file with the measurements of machines that may run the execution layer; unset: any may',
  }),
  layerQuoteMaxAgeSeconds: atLeast(
    1,
    's',
  )({
    default: 600,
    desc: 'how long a quote of the execution layer counts; then it is asked for a new one',
  }),
  layerQuoteStatuses: statuses({
    default: ['UpToDate'],
    desc: "states of its platform's firmware that are accepted, as the maker names them, separated by commas",
  }),
  layerQuoteRoot: str({
    default: undefined,
    desc: "file with the certificate of the processor's maker, PEM; unset: Intel's",
  }),
  layerCollateralUrl: url({
    default: 'https://api.trustedservices.intel.com',
    desc: 'where the maker says which platforms are sound: its own service, or a cache of it (PCCS)',
  }),
  programAddress: publicKey(
    programAddress({ default: PAYOUT_LEDGER_PROGRAM_ADDRESS, desc: 'address of the ledger program' }),
  ),
});

const keys = inGroup('keys', {
  executionAuthorityKey: str({
    desc: 'key that opens, claims and commits: a file, `env:NAME` or `vault:KEY`',
  }),
  relayKey: str({
    default: undefined,
    desc: "key that pays the fees of the first transfers from recipients' fresh wallets, written like `EXECUTION_AUTHORITY_KEY`; unset: nobody does",
  }),
  payloadKey: str({
    default: undefined,
    desc: "key that encrypts the lists' own keys: a file, `env:NAME` or `vault:KEY`; unset: made once under `DATA_DIR`",
  }),
  payloadKeysRetired: words({
    default: [],
    desc: 'former payload keys that still decrypt, written like `PAYLOAD_KEY`, separated by commas',
  }),
  vaultAddr: url({ default: undefined, desc: 'Vault or OpenBao, whose Transit engine holds `vault:` keys' }),
  vaultToken: secret(
    'whole',
    str({ default: undefined, desc: 'its token: sign, encrypt, decrypt and read of these keys' }),
  ),
});

const database = inGroup('database', {
  databaseUrl: secret(
    'url',
    str({ default: undefined, desc: 'PostgreSQL, `postgres://…`; unset: an embedded database under `DATA_DIR`' }),
  ),
  databasePoolSize: atLeast(4)({ default: 20, desc: 'connections to PostgreSQL at a time' }),
  migrateOnStart: bool({
    default: true,
    desc: "bring the database to this version's tables at start; false: only by command",
  }),
  dataDir: str({ default: 'data', desc: 'folder of the embedded database and its key' }),
  instanceName: instanceName({
    default: undefined,
    desc: 'name of this process among those that share a database, best the same after a restart; unset: the name of its host',
  }),
  leaseSeconds: atLeast(
    3,
    's',
  )({
    default: 15,
    desc: 'how long a process on a shared database may be silent before the others take its runs over',
  }),
});

const api = inGroup('api', {
  host: str({ default: '127.0.0.1', desc: 'address to listen on' }),
  port: portOrAny({ default: 3000, desc: 'port to listen on; 0: any free one' }),
  monitoringPort: portOrAny({
    default: undefined,
    desc: 'port on which health and metrics are answered, too, whatever the other one goes through; unset: none',
  }),
  publicOrigins: origins({
    default: [],
    desc:
      'where clients address this service, such as https://payouts.example.com: scheme, host and port, several separated by commas. What is signed ' +
      'for another is refused; unset: only its own names are good, and only if HOST is 127.0.0.1 or the like',
  }),
  trustedProxies: addressList({
    default: [],
    desc: 'proxies whose X-Forwarded-For, -Host and -Proto are believed: addresses or networks, separated by commas',
  }),
  bodyLimitBytes: atLeast(
    1_024,
    'bytes',
  )({
    default: 256 * 1_024 * 1_024,
    desc: 'largest registration: a million recipients without their proofs take 180 MB',
  }),
  requestTimeoutMs: atLeast(1_000, 'ms')({ default: 60_000, desc: 'time a request may take to arrive' }),
  signatureMaxAgeSeconds: atLeast(1, 's')({ default: 300, desc: 'how long a signed request is good' }),
  shutdownGraceMs: atLeast(
    0,
    'ms',
  )({ default: 10_000, desc: 'time for stages and requests under way to end when the service stops' }),
});

const dashboard = inGroup('dashboard', {
  dashboard: bool({ default: true, desc: 'serve the dashboard, a page for browsers, at `/`' }),
  recipientPage: bool({ default: true, desc: "serve the recipients' page at `/recipient/`" }),
  browserRpcUrl: ledgerUrls({
    default: undefined,
    desc:
      "the base ledger's RPC as browsers reach it, or several separated by commas: everybody who opens a page is told them, so none may hold a " +
      'secret; unset: pages ask no ledger themselves',
  }),
  browserLayerUrl: ledgerUrls({
    default: undefined,
    desc: "the execution layer's RPC as browsers reach it, in the same way",
  }),
  dashboardPublic: bool({
    default: false,
    desc: 'show everybody what is due, running and stopped; false: only operators who sign in',
  }),
  operators: publicKey(
    ledgerAddresses({
      default: [],
      desc: 'addresses of the keys that may resume runs and compare with the ledgers over HTTP, separated by commas',
    }),
  ),
});

const limits = inGroup('limits', {
  rateLimitStoreUrl: secret(
    'url',
    str({
      default: undefined,
      desc: 'Redis or Valkey that shares the limits between processes, `redis://…`; unset: each process counts alone',
    }),
  ),
  rateLimitDryRun: bool({ default: false, desc: 'count and log what would be limited, and let it pass' }),
  registrationsPerMinute: atLeast(1)({ default: 60, desc: 'registrations a client may begin in a minute' }),
  registrationsAtATime: atLeast(1)({ default: 4, desc: 'registrations under way at a time in this process' }),
  eventStreams: atLeast(0)({ default: 200, desc: 'streams of events open at a time in this process' }),
  eventStreamsPerClient: atLeast(1)({ default: 20, desc: 'streams of events that a client may have open' }),
  connectionsPerClient: atLeast(1)({
    default: 500,
    desc: 'connections that a client may have open in this process, and open in ten seconds; those of TRUSTED_PROXIES do not count',
  }),
  readsPerMinute: atLeast(1)({ default: 1_200, desc: 'reads a client may send in a minute' }),
});

const metrics = inGroup('metrics', {
  metricsAuthToken: secret(
    'whole',
    str({ default: undefined, desc: 'bearer token that `/api/metrics` asks for: 16 characters or more' }),
  ),
  metricsPublic: bool({ default: false, desc: 'answer `/api/metrics` without a token' }),
  logLevel: str({
    default: 'info',
    choices: ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
    desc: 'least level that is logged: trace, debug, info, warn, error, fatal or silent',
  }),
});

const work = inGroup('work', {
  pollIntervalMs: atLeast(50, 'ms')({ default: 1_000, desc: 'time between two looks for due schedules' }),
  withdrawalIntervalMs: atLeast(50, 'ms')({ default: 500, desc: 'time between two looks for withdrawals' }),
  // The ledger program lets an order's release be put off by an hour: half of it for rounding, the rest for clocks that differ.
  withdrawalBatchSeconds: whole(
    1,
    1_800,
    's',
  )({
    default: 600,
    desc: 'time between two instants at which withdrawals that wait are released together: a whole number, at most 1800',
  }),
  runConcurrency: atLeast(1)({ default: 512, desc: 'runs at work at a time' }),
  claimsInFlight: atLeast(1)({ default: 16, desc: 'claim transactions of a run under way at a time' }),
  stageAttempts: atLeast(1)({
    default: 8,
    desc: 'attempts of a stage that is refused or fails before its run counts as exhausted',
  }),
  stageRetryMs: atLeast(
    1,
    'ms',
  )({
    default: 500,
    desc: 'wait before the second try of a stage; further ones grow, to a minute at most',
  }),
  stagePatienceMs: atLeast(
    1,
    'ms',
  )({
    default: 86_400_000,
    desc: 'how long a stage is tried again while a ledger, the key service or the database is gone',
  }),
  reconcileIntervalSeconds: atLeast(
    1,
    's',
  )({
    default: 300,
    desc: 'time between two comparisons of everything that is registered with the ledgers',
  }),
  fundingLowWindows: atLeast(1)({
    default: 2,
    desc: "fewer further windows than these that a schedule's money covers are told as `funding.low`; of one without an end, fewer than it keeps",
  }),
  windowLateSeconds: atLeast(
    1,
    's',
  )({
    default: 900,
    desc: 'how long after it was due a window that did not open is told as `window.late`, and after its payment deadline one that is not settled',
  }),
  withdrawalStuckSeconds: atLeast(
    1,
    's',
  )({
    default: 600,
    desc: 'how long a withdrawal that is to be paid may take until it counts as stuck',
  }),
  webhookAllowPrivate: bool({
    default: false,
    desc: 'send webhooks to private networks and over plain HTTP too: for trials on one machine',
  }),
  smtpUrl: secret(
    'url',
    str({
      default: undefined,
      desc: 'mail server for notices by e-mail, `smtp://…` or `smtps://…` with user and password; unset: none is sent',
    }),
  ),
  smtpFrom: str({ default: undefined, desc: 'who these e-mails are from, such as `payouts@example.com`' }),
  noticeSpreadSeconds: whole(
    0,
    86_400,
    's',
  )({
    default: 21_600,
    desc:
      'time within which a recipient is told of a payment or a withdrawal, at a moment drawn by lot, so that whoever carries the message does not see by its ' +
      'time which one is meant; 0: at once',
  }),
  holdRecheckMs: atLeast(100, 'ms')({ default: 30_000, desc: 'time until a held run is looked at again' }),
});

/**
 * Everything that can be set, by the name that the code uses; the environment's name is the same in capitals. `isTerminal`:
 * whether people read the log.
 */
export const settingSpecs = (isTerminal: boolean) => ({
  ...ledgers,
  ...keys,
  ...database,
  ...api,
  ...dashboard,
  ...limits,
  ...metrics,
  ...inGroup('metrics', {
    logPretty: bool({ default: isTerminal, desc: 'text for people instead of JSON lines; unset: true on a terminal' }),
  }),
  ...work,
});

export type SettingSpecs = ReturnType<typeof settingSpecs>;
export type SettingKey = keyof SettingSpecs;

/** A setting's environment variable: `baseRpcUrl` is BASE_RPC_URL. */
export const environmentName = (key: SettingKey): string =>
  key.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();

/** A specification with what all of them have in common. */
export type SettingSpec = Place & { readonly desc?: string; readonly default?: unknown };

/** Every setting with its name in the environment. */
export const eachSetting = (isTerminal = false): [SettingKey, string, SettingSpec][] =>
  Object.entries(settingSpecs(isTerminal)).map(([key, spec]) => [
    key as SettingKey,
    environmentName(key as SettingKey),
    spec,
  ]);

type Parsed<Spec> = Spec extends { readonly _parse: (text: string) => infer Value }
  ? Spec extends { readonly default: undefined }
    ? Value | undefined
    : Value
  : never;
export type ValueOf<Key extends SettingKey> = Parsed<SettingSpecs[Key]>;

/** Everything that can be set; milliseconds, bytes and counts as the names say. */
export type Settings = Readonly<
  { [Key in Exclude<SettingKey, 'baseWsUrl' | 'instanceName'>]: ValueOf<Key> } & {
    baseWsUrl: string;
    instanceName: string;
  }
>;
