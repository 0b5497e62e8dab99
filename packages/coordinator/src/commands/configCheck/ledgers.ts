import {
  BALANCE_PAGE_KIND,
  BATCH_KIND,
  BatchPhase,
  fetchMaybeConfig,
  findConfigAddress,
  PERSONAL_KIND,
  POOL_KIND,
  patientRpc,
  type Time,
  timeoutSignal,
} from '@payouts/client';
import type { Address } from '@solana/kit';
import type { Settings } from '../../config/specs.ts';
import type { Authority } from '../../config/vault.ts';
import { RunError } from '../../domain/errors.ts';
import { poolOf } from '../../ledger/accounts.ts';
import { sessionOf, trustOf } from '../../ledger/attestation/settings.ts';
import { hasReadPermissions } from '../../ledger/readPermissions.ts';
import { connectBase, connectLayer } from '../../ledger/rpc.ts';
import { rpcCall } from '../../ledger/rpcCall.ts';
import { createLogger } from '../../platform/log/log.ts';
import { isLoopbackUrl } from '../../platform/loopback.ts';
import { createMetrics } from '../../platform/metrics.ts';
import { type Readers, unpermitted } from '../../runs/permissions.ts';
import { type CheckResult, checkWithin, failed, passed, warned } from './checkResult.ts';
import { checkNodes, checkSockets } from './nodes.ts';
import { checkSending } from './sending.ts';

const LAMPORTS_PER_SOL = 1_000_000_000;
/** Lamports: an opening for some hundred new recipients takes about this much. */
const LOW_LAMPORTS = 500_000_000n;
const WITHIN_MS = 5_000;
/** Private accounts whose read permissions are looked at. */
const MOST_LOOKED_AT = 2_000;
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
  const [base, nodes, sockets, sending, layer, permissions, trust] = await Promise.all([
    checkWithin(
      time,
      () => checkBase(settings, authority?.address, time),
      () => "base ledger: BASE_RPC_URL does not answer: check the address and that it is a ledger's RPC",
    ),
    checkNodes(settings, time),
    checkSockets(settings, time),
    checkSending(settings, authority, time),
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
  return [...base, ...doubted([...nodes, ...sockets]), ...sending, ...layer, ...doubted(permissions), ...trust];
}

async function configOf({ baseRpcUrl, programAddress }: Settings, time: Time) {
  const rpc = patientRpc(baseRpcUrl, time);
  const config = await fetchMaybeConfig(rpc, await findConfigAddress({ programAddress }), soon(time));
  return config.exists ? config.data : undefined;
}

async function checkBase(settings: Settings, authority: Address | undefined, time: Time): Promise<CheckResult[]> {
  const { baseRpcUrl, programAddress } = settings;
  const rpc = patientRpc(baseRpcUrl, time);
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
