import {
  buildPermissionTransaction,
  derivePermissionAddress,
  getClosePermissionInstructionAsync,
  MAX_PERMISSIONS_PER_TRANSACTION,
  namesReader,
  PERMISSION_PROGRAM_ADDRESS,
} from '@payouts/client';
import type { Address, Instruction } from '@solana/kit';
import { toRunError } from '../domain/errors.ts';
import { readAccount, readAccounts } from '../ledger/ledger.ts';
import type { WindowAddresses } from '../ledger/probe.ts';
import { refusedError } from '../ledger/programErrors.ts';
import { chunksOf, forEachLimited } from '../platform/concurrency.ts';
import type { StageContext } from './context.ts';
import { LayerSender } from './layerSend.ts';

/** Accounts that are refused by themselves before no others are tried: then it is not about them. */
const MOST_REFUSED = 8;

/** How often what is missing is tried in a window, milliseconds apart: the layer may not know a batch or a program yet. */
const TRIES = 3;
const AGAIN_MS = 300;
/** Addresses that are derived between two turns of the event loop: some ten milliseconds. */
const MOST_AT_ONCE = 400;

/** Where permissions are read, and who must be named in each. */
export type Readers = Pick<StageContext, 'layer'> & { readonly authority: { readonly address: Address } };

/** What closes a batch's read permission, if it has one: to be sent with what sends the batch back. */
export async function closePermission(context: StageContext, at: WindowAddresses): Promise<Instruction[]> {
  const { permissions, layer, authority, config, program } = context;
  const { batch } = at;
  if (!(await permissions.areThere())) return [];
  const permission = await readAccount(layer, derivePermissionAddress(batch));
  if (permission?.owner !== PERMISSION_PROGRAM_ADDRESS) return [];
  return [await getClosePermissionInstructionAsync({ authority, config, batch }, { programAddress: program })];
}

/**
 * Sets who may read accounts of an open window, if the layer has read permissions. Never keeps anybody from being paid. `mostRefused`: so many
 * that are refused by themselves before no others are tried.
 */
export async function permit(
  context: StageContext,
  at: WindowAddresses,
  accounts: readonly Address[],
  mostRefused = MOST_REFUSED,
): Promise<void> {
  const { permissions, metrics, log, time, signal } = context;
  if (!(await permissions.areThere())) return;
  try {
    const before = await unpermitted(context, accounts);
    const wanted = [...before.none, ...before.stale];
    let lacking = wanted;
    let refused: string | undefined;
    for (let tries = TRIES; lacking.length > 0 && tries > 0; tries--) {
      if (tries < TRIES) await time.pause(AGAIN_MS, signal);
      refused = await setAll(context, at.batch, lacking, mostRefused);
      // Success is decided by the state, as everywhere.
      const { none, stale } = await unpermitted(context, lacking);
      lacking = [...none, ...stale];
    }
    const missing = lacking.length;
    const count = wanted.length - missing;
    if (count > 0) {
      metrics.permissionsSet.inc({ result: 'set' }, count);
      log.info({ count }, 'read permissions set');
    }
    if (missing === 0) return;
    metrics.permissionsSet.inc({ result: 'missing' }, missing);
    const detail = refused ?? "The batch's lamports don't cover them, or somebody was first at their addresses.";
    log.warn({ count: missing, detail }, 'read permissions are missing; the next window tries again');
  } catch (error) {
    signal.throwIfAborted();
    log.warn({ code: toRunError(error).code }, 'read permissions could not be set; the next window tries again');
  }
}

/** Accounts without a read permission, and those whose permission doesn't name the present execution authority. */
export type Unpermitted = { readonly none: readonly Address[]; readonly stale: readonly Address[] };

/** Those of the accounts that the present execution authority may not read, or everybody may. */
export async function unpermitted(context: Readers, accounts: readonly Address[]): Promise<Unpermitted> {
  const found = { none: [] as Address[], stale: [] as Address[] };
  for (const chunk of chunksOf(accounts, MOST_AT_ONCE)) {
    const subjects = new Map(chunk.map((account) => [derivePermissionAddress(account), account]));
    await readAccounts(context.layer, [...subjects.keys()], (permission, state) => {
      const account = subjects.get(permission) as Address;
      if (state?.owner !== PERMISSION_PROGRAM_ADDRESS) found.none.push(account);
      else if (!namesReader(state.data, context.authority.address)) found.stale.push(account);
    });
  }
  return found;
}

/** Sets all, or what can be set; why some were refused, the last of the reasons. */
async function setAll(
  context: StageContext,
  batch: Address,
  subjects: readonly Address[],
  mostRefused: number,
): Promise<string | undefined> {
  const { authority, config, program, claimsInFlight } = context;
  const sender = new LayerSender(context);
  let refused = 0;
  let reason: string | undefined;
  const set = async (some: readonly Address[]): Promise<void> => {
    if (refused >= mostRefused) return;
    const permission = { authority, config, batch, subjects: some, programAddress: program };
    const err = await sender.send((terms) => buildPermissionTransaction({ ...permission, ...terms }));
    if (err === null) return;
    reason = refusedError('setting of read permissions', err).message;
    if (some.length === 1) refused += 1;
    const half = Math.ceil(some.length / 2);
    if (half < some.length) for (const part of [some.slice(0, half), some.slice(half)]) await set(part);
  };
  await forEachLimited(chunksOf(subjects, MAX_PERMISSIONS_PER_TRANSACTION), claimsInFlight, set);
  return reason;
}
