import { mailFault } from '../domain/notice.ts';
import { isLoopbackUrl } from '../platform/loopback.ts';
import { isInVault } from './keyReference.ts';
import { isKey } from './secrets.ts';
import { eachSetting, environmentName, type Settings } from './specs.ts';

const SHORTEST_TOKEN = 16;

/** What does not go together, each as a sentence that names the setting and says how to fix it. */
export function contradictionsIn(settings: Settings): string[] {
  return [
    ...schemes(settings),
    ...databases(settings),
    ...pastedKeys(settings),
    ...keys(settings),
    ...metrics(settings),
    ...fees(settings),
    ...mails(settings),
  ];
}

function schemes(settings: Settings): string[] {
  const found: string[] = [];
  for (const [key, allowed, example] of [
    ['baseRpcUrl', /^https?:/, 'http://… or https://…'],
    ['layerRpcUrl', /^https?:/, 'http://… or https://…'],
    ['baseWsUrl', /^wss?:/, 'ws://… or wss://…'],
    ['browserRpcUrl', /^https?:/, 'http://… or https://…'],
    ['browserLayerUrl', /^https?:/, 'http://… or https://…'],
    ['vaultAddr', /^https?:/, 'http://… or https://…'],
    ['rateLimitStoreUrl', /^rediss?:/, 'redis://… or rediss://…'],
  ] as const) {
    const values = settings[key]?.split(',') ?? [];
    if (values.some((value) => !allowed.test(value))) {
      found.push(`${environmentName(key)} has the wrong scheme: write it as ${example}.`);
    }
  }
  const { layerRpcUrl, layerMeasurements, layerSignIn } = settings;
  if (/^http:/.test(layerRpcUrl) && !isLoopbackUrl(layerRpcUrl) && (layerMeasurements !== undefined || layerSignIn)) {
    found.push(
      'LAYER_RPC_URL is plain http to another host, where anybody between could answer for the attested layer and take the token: ' +
        'write it as https://….',
    );
  }
  if (settings.baseRpcUrl.split(',').includes(settings.layerRpcUrl)) {
    found.push(
      'LAYER_RPC_URL is the same as BASE_RPC_URL: name the execution layer there, which is a ledger of its own.',
    );
  }
  return found;
}

function databases({ databaseUrl, payloadKey }: Settings): string[] {
  const found: string[] = [];
  if (databaseUrl === undefined) return found;
  if (!/^postgres(ql)?:\/\//.test(databaseUrl) || !URL.canParse(databaseUrl)) {
    found.push('DATABASE_URL is no Postgres address: write it as postgres://…, or unset it for the embedded database.');
  }
  if (payloadKey === undefined) {
    found.push(
      'DATABASE_URL is set but PAYLOAD_KEY is not: a key that this machine makes up would leave the lists unreadable ' +
        'elsewhere. Write 32 random bytes as hexadecimal into a file (openssl rand -hex 32) and name it in PAYLOAD_KEY.',
    );
  }
  return found;
}

/** Settings that hold a key: nothing is to name one but a place, and what is no secret is shown. */
function pastedKeys(settings: Settings): string[] {
  const isPasted = ([key, , { secret, isPublicKey }]: ReturnType<typeof eachSetting>[number]) => {
    const value = settings[key] ?? '';
    // A list of numbers has commas as well, by which it was taken apart.
    return secret === undefined && !isPublicKey && [value, String(value)].flat().some((part) => isKey(String(part)));
  };
  return eachSetting()
    .filter(isPasted)
    .map(
      ([, name]) =>
        `${name} holds a key itself: put it into a file and name that, or into another variable and write env:ITS_NAME.`,
    );
}

function keys(settings: Settings): string[] {
  const found: string[] = [];
  const references = {
    EXECUTION_AUTHORITY_KEY: [settings.executionAuthorityKey],
    RELAY_KEY: settings.relayKey === undefined ? [] : [settings.relayKey],
    PAYLOAD_KEY: settings.payloadKey === undefined ? [] : [settings.payloadKey],
    PAYLOAD_KEYS_RETIRED: settings.payloadKeysRetired,
  };
  for (const [name, all] of Object.entries(references)) {
    if (all.some(isInVault) && (settings.vaultAddr === undefined || settings.vaultToken === undefined)) {
      found.push(`${name} names a key in Vault: set VAULT_ADDR and VAULT_TOKEN (or VAULT_TOKEN_FILE).`);
    }
  }
  if (settings.relayKey === settings.executionAuthorityKey) {
    found.push(
      'RELAY_KEY names the execution authority: the relay signs what strangers send, so give it a key of its own.',
    );
  }
  if (settings.payloadKey !== undefined && settings.payloadKeysRetired.includes(settings.payloadKey)) {
    found.push('PAYLOAD_KEYS_RETIRED has the key that PAYLOAD_KEY names: leave it out there.');
  }
  return found;
}

function metrics({ metricsAuthToken }: Settings): string[] {
  const found: string[] = [];
  if (metricsAuthToken === undefined) return found;
  if (metricsAuthToken.length < SHORTEST_TOKEN) {
    found.push(
      `METRICS_AUTH_TOKEN is shorter than ${SHORTEST_TOKEN} characters: take one nobody guesses (openssl rand -hex 32).`,
    );
  }
  return found;
}

function fees({ priorityFeeFloor, priorityFeeCap }: Settings): string[] {
  if (priorityFeeFloor <= priorityFeeCap) return [];
  return ['PRIORITY_FEE_FLOOR is above PRIORITY_FEE_CAP: lower it, or raise the cap.'];
}

function mails({ smtpUrl, smtpFrom, publicOrigins }: Settings): string[] {
  if (smtpUrl === undefined && smtpFrom === undefined) return [];
  const found: string[] = [];
  if (smtpUrl !== undefined && !(/^smtps?:\/\//.test(smtpUrl) && URL.canParse(smtpUrl))) {
    found.push('SMTP_URL is no mail server: write it as smtp://… or smtps://….');
  }
  if (smtpUrl === undefined) found.push('SMTP_FROM is set but SMTP_URL is not: name the mail server, or unset both.');
  if (smtpFrom === undefined) found.push('SMTP_URL is set but SMTP_FROM is not: say who e-mails are from.');
  else if (mailFault(smtpFrom) !== undefined) {
    found.push('SMTP_FROM is no e-mail address: write it as payouts@example.com.');
  }
  if (publicOrigins.length === 0) {
    found.push('SMTP_URL is set but PUBLIC_ORIGINS is not: e-mails have links to the first of them.');
  }
  return found;
}
