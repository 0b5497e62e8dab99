import {
  BALANCE_PAGE_KIND,
  BATCH_KIND,
  BatchPhase,
  fetchMaybeConfig,
  findConfigAddress,
  PERSONAL_KIND,
  POOL_KIND,
  type Time,
  timeoutSignal,
} from '@payouts/client';
import { type Address, createSolanaRpc, createSolanaRpcSubscriptions } from '@solana/kit';
import type { Settings } from '../../config/specs.ts';
import type { Authority } from '../../config/vault.ts';
import { RunError } from '../../domain/errors.ts';
import { poolOf } from '../../ledger/accounts.ts';
import { sessionOf, trustOf } from '../../ledger/attestation/settings.ts';
import { hasReadPermissions } from '../../ledger/readPermissions.ts';
import { connectBase, connectLayer } from '../../ledger/rpc.ts';
import { RpcFailure, rpcCall } from '../../ledger/rpcCall.ts';
import { createLogger } from '../../platform/log/log.ts';
import { isLoopbackUrl } from '../../platform/loopback.ts';
import { createMetrics } from '../../platform/metrics.ts';
import { type Readers, unpermitted } from '../../runs/permissions.ts';
import { type CheckResult, checkWithin, failed, passed, warned } from './checkResult.ts';

const LAMPORTS_PER_SOL = 1_000_000_000;
/** Lamports: an opening for some hundred new recipients takes about this much. */
const LOW_LAMPORTS = 500_000_000n;
const WITHIN_MS = 5_000;
/** Private accounts whose read permissions are looked at. */
const MOST_LOOKED_AT = 2_000;
/** Of no transaction. */
const NO_SIGNATURE = '1'.repeat(64);
/** Of no account: nothing that the program keeps begins so. */
const NO_ACCOUNT = { memcmp: { offset: 0, bytes: Buffer.alloc(32, 0xff).toString('base64'), encoding: 'base64' } };
/** What an open window's batch holds: its kind, and its phase. */
const OPEN_BATCH = [
  { at: 0, bytes: Uint8Array.of(BATCH_KIND) },
  { at: 3, bytes: Uint8Array.of(BatchPhase.Open) },
];

const soon = (time: Time) => ({ abortSignal: timeoutSignal(time, WITHIN_MS) });

/** Whether both ledgers are there and are those that the deployment means. `authority`: undefined if its key can't be had. */
export async function checkLedgers(
  settings: Settings,
  authority: Authority | undefined,
  time: Time,
): Promise<CheckResult[]> {
  const [base, node, socket, layer, permissions, trust] = await Promise.all([
    checkWithin(
      time,
      () => checkBase(settings, authority?.address, time),
      () => "base ledger: BASE_RPC_URL does not answer: check the address and that it is a ledger's RPC",
    ),
    checkNode(settings, time),
    checkWithin(
      time,
      () => checkSocket(settings),
      () => 'base ledger: BASE_WS_URL takes no subscription: check the address; changes are found by reading meanwhile',
    ),
    checkWithin(
      time,
      () => checkLayer(settings, authority, time),
      (error) =>
        error instanceof RunError && error.code === 'layer-sign-in-refused'
          ? "execution layer: it does not let the execution authority sign in: have the layer's operator admit it"
          : "execution layer: LAYER_RPC_URL does not answer: check the address and that it is the layer's RPC",
    ),
    checkWithin(
      time,
      () => checkPermissions(settings, authority, time),
      () => 'execution layer: it could not be tried whether it has read permissions',
    ),
    checkWithin(
      time,
      () => checkTrust(settings, time),
      (error) => `execution layer: it can't be trusted: ${(error as Error).message.replace(/\.$/, '')}`,
    ),
  ]);
  const doubted = (findings: readonly CheckResult[]) =>
    findings.map((found) => (found.mark === '✖' ? warned(found.text) : found));
  return [...base, ...doubted([...node, ...socket]), ...layer, ...doubted(permissions), ...trust];
}

async function configOf({ baseRpcUrl, programAddress }: Settings, time: Time) {
  const rpc = createSolanaRpc(baseRpcUrl);
  const config = await fetchMaybeConfig(rpc, await findConfigAddress({ programAddress }), soon(time));
  return config.exists ? config.data : undefined;
}

async function checkBase(settings: Settings, authority: Address | undefined, time: Time): Promise<CheckResult[]> {
  const { baseRpcUrl, programAddress } = settings;
  const rpc = createSolanaRpc(baseRpcUrl);
  const found: CheckResult[] = [];
  const { value: program } = await rpc.getAccountInfo(programAddress, { encoding: 'base64' }).send(soon(time));
  if (program === null) {
    return [
      failed(
        `base ledger: there is no program at ${programAddress}: deploy it, or fix PROGRAM_ADDRESS or BASE_RPC_URL`,
      ),
    ];
  }
  found.push(
    program.executable
      ? passed(`base ledger: the program ${programAddress} is deployed`)
      : failed(`base ledger: ${programAddress} is no program: fix PROGRAM_ADDRESS`),
  );
  const config = await configOf(settings, time);
  if (config === undefined)
    return [...found, failed('base ledger: the program is not set up: have governance create its config')];
  if (authority === undefined) return found;
  found.push(
    config.executionAuthority === authority
      ? passed(`base ledger: ${authority} is the execution authority`)
      : failed(
          `base ledger: the execution authority is ${config.executionAuthority}, not ${authority}: fix EXECUTION_AUTHORITY_KEY or have governance name this key`,
        ),
  );
  const { value: lamports } = await rpc.getBalance(authority).send(soon(time));
  const has = `the execution authority has ${Number(lamports) / LAMPORTS_PER_SOL} SOL`;
  if (lamports === 0n) found.push(failed(`base ledger: ${has}: send it some for fees and rent`));
  else
    found.push(
      lamports < LOW_LAMPORTS
        ? warned(`base ledger: ${has}, which is little: send it more`)
        : passed(`base ledger: ${has}`),
    );
  return found;
}

/** Whether the base ledger's node offers what not every node does, by asking as it is asked later. */
async function checkNode({ baseRpcUrl, programAddress }: Settings, time: Time): Promise<CheckResult[]> {
  const ask = (method: string, params: readonly unknown[]) =>
    rpcCall(baseRpcUrl, method, params, { signal: timeoutSignal(time, WITHIN_MS), time });
  const tried = (offer: string, lack: string, work: () => Promise<unknown>) =>
    checkWithin(
      time,
      async () => {
        await work();
        return [passed(`base ledger: its node ${offer}`)];
      },
      (error) =>
        error instanceof RpcFailure
          ? `base ledger: its node ${lack}; name another node in BASE_RPC_URL`
          : `base ledger: it could not be tried whether its node ${offer}`,
    );
  const found = await Promise.all([
    tried(
      'keeps the history of transactions',
      'keeps no history of transactions: what a lost database is rebuilt from is missing',
      () => ask('getSignatureStatuses', [[NO_SIGNATURE], { searchTransactionHistory: true }]),
    ),
    tried(
      "lists a program's accounts",
      "does not list a program's accounts: schedules that are not registered are not looked for, and vaults of more than 1,000 schedules not audited",
      () => ask('getProgramAccounts', [programAddress, { encoding: 'base64', filters: [NO_ACCOUNT] }]),
    ),
  ]);
  return found.flat();
}

async function checkSocket({ baseWsUrl, programAddress }: Settings): Promise<CheckResult[]> {
  const ends = new AbortController();
  try {
    await createSolanaRpcSubscriptions(baseWsUrl)
      .programNotifications(programAddress, { commitment: 'confirmed', encoding: 'base64' })
      .subscribe({ abortSignal: ends.signal });
    return [passed('base ledger: its websocket takes subscriptions')];
  } finally {
    ends.abort();
  }
}

async function checkLayer(settings: Settings, authority: Authority | undefined, time: Time): Promise<CheckResult[]> {
  const { layerRpcUrl } = settings;
  const signal = timeoutSignal(time, WITHIN_MS);
  const ask = (url: string) => rpcCall<{ readonly identity: string }>(url, 'getIdentity', [], { signal, time });
  const session = authority && sessionOf(settings, { authority, time, signal });
  const { identity } = await (session === undefined ? ask(layerRpcUrl) : session.within(layerRpcUrl, ask));
  const validator = (await configOf(settings, time).catch(() => undefined))?.validator;
  if (validator === undefined) return [passed(`execution layer: ${identity} answers`)];
  const others = await poolsOfOthers(settings, identity, time).catch(() => []);
  return [
    identity === validator
      ? passed(`execution layer: it is ${identity}, as the program's config says`)
      : failed(`execution layer: it is ${identity}, but the program's config names ${validator}: fix LAYER_RPC_URL`),
    ...others.map(({ mint, validator }) =>
      warned(`execution layer: the pool of ${mint} belongs to ${validator}: no window of it opens here`),
    ),
  ];
}

/** Pools that another layer than this one serves: whoever creates one, config names its validator then. */
async function poolsOfOthers({ baseRpcUrl: url, programAddress }: Settings, identity: string, time: Time) {
  const base = connectBase({ url, time, signal: timeoutSignal(time, WITHIN_MS) });
  const found = await base.programAccounts(programAddress, [{ at: 0, bytes: Uint8Array.of(POOL_KIND) }]);
  return found
    .flatMap((account) => poolOf(account, programAddress) ?? [])
    .filter((pool) => pool.validator !== identity);
}

async function checkPermissions(
  settings: Settings,
  authority: Authority | undefined,
  time: Time,
): Promise<CheckResult[]> {
  const { layerRpcUrl: url } = settings;
  const signal = timeoutSignal(time, WITHIN_MS);
  const session = authority && sessionOf(settings, { authority, time, signal });
  const connection = { url, time, signal, session };
  const layer = connectLayer(connection);
  if (await hasReadPermissions({ layer, connection })) {
    const has = passed('execution layer: it has read permissions');
    return authority === undefined ? [has] : [has, await checkPermitted(settings, { layer, authority })];
  }
  return isLoopbackUrl(url)
    ? [passed('execution layer: it has no read permissions, and runs on this machine')]
    : [warned('execution layer: it has no read permissions: whoever may call it can read private balances')];
}

/** Whether private balances and open windows have read permissions where the layer has them. */
async function checkPermitted({ programAddress }: Settings, readers: Readers): Promise<CheckResult> {
  const kinds = [BALANCE_PAGE_KIND, PERSONAL_KIND].map((kind) => [{ at: 0, bytes: Uint8Array.of(kind) }]);
  const found = await Promise.all(
    [...kinds, OPEN_BATCH].map((holding) => readers.layer.programAccounts(programAddress, holding)),
  );
  const addresses = found.flat().map(({ address }) => address);
  const looked = addresses.slice(0, MOST_LOOKED_AT);
  const { none, stale } = await unpermitted(readers, looked);
  const lacking = none.length + stale.length;
  const some = looked.length < addresses.length ? `${looked.length} looked at of ` : '';
  const all = `${some}${addresses.length} pages of balances, personal accounts and open windows`;
  return lacking === 0
    ? passed(`execution layer: all ${all} have read permissions`)
    : warned(
        `execution layer: ${lacking} of ${all} have no read permission for this execution authority: the log says why`,
      );
}

async function checkTrust(settings: Settings, time: Time): Promise<CheckResult[]> {
  if (settings.layerMeasurements === undefined) return [];
  const signal = timeoutSignal(time, WITHIN_MS);
  const { programAddress: program, baseRpcUrl: url } = settings;
  const trust = trustOf(settings, {
    base: connectBase({ url, time, signal }),
    config: await findConfigAddress({ programAddress: program }),
    time,
    log: createLogger({ level: 'silent', pretty: false, time }),
    metrics: createMetrics(),
    signal,
  });
  return [passed(`execution layer: it is trusted by the quote ${await trust.quoteHash()}`)];
}
