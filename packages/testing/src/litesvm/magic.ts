import { addressFromBytes, MAGIC_PROGRAM_ADDRESS } from '@payouts/client';
import { type AccountMeta, AccountRole, type Address } from '@solana/kit';
import type { BaseAction } from './delegation.ts';
import type { Called, Outcome } from './outcome.ts';
import { LEDGER_PROGRAM } from './programs.ts';

const COMMIT_AND_UNDELEGATE = 2;
const SCHEDULE_INTENT_BUNDLE = 11;
const CREATE_EPHEMERAL_ACCOUNT = 12;
const CLOSE_EPHEMERAL_ACCOUNT = 14;

/** What a layer transaction asked the Magic program for. */
export interface Scheduled {
  /** Accounts to go back to the base. */
  readonly returns: Address[];
  readonly actions: BaseAction[];
  /** Ephemeral accounts created, and who sponsors them. */
  readonly created: { readonly account: Address; readonly sponsor: Address; readonly size: number }[];
  /** Ephemeral accounts closed, and who gets their rent back. */
  readonly closed: { readonly account: Address; readonly sponsor: Address }[];
}

/** Reads from a transaction what it scheduled. */
export function scheduledBy(outcome: Outcome): Scheduled {
  const scheduled: Scheduled = { returns: [], actions: [], created: [], closed: [] };
  for (const call of outcome.callsOf(MAGIC_PROGRAM_ADDRESS)) {
    const data = Buffer.from(call.data);
    const selector = data.readUInt32LE(0);
    if (selector === COMMIT_AND_UNDELEGATE) scheduled.returns.push(...call.accounts.slice(2));
    else if (selector === SCHEDULE_INTENT_BUNDLE) scheduled.actions.push(...actionsIn(data, call));
    else if (selector === CREATE_EPHEMERAL_ACCOUNT) {
      const [sponsor, account] = call.accounts as [Address, Address];
      scheduled.created.push({ account, sponsor, size: data.readUInt32LE(4) });
    } else if (selector === CLOSE_EPHEMERAL_ACCOUNT) {
      const [sponsor, account] = call.accounts as [Address, Address];
      scheduled.closed.push({ account, sponsor });
    }
  }
  return scheduled;
}

/** Bincode 1 of the SDK's `MagicIntentBundleArgs` with stand-alone actions only. */
function actionsIn(data: Buffer, call: Called): BaseAction[] {
  let at = 4;
  const take = (size: number) => {
    at += size;
    if (at > data.length) throw new Error('the intent bundle ends early');
    return data.subarray(at - size, at);
  };
  const count = () => Number(take(8).readBigUInt64LE(0));
  if (take(4).some((part) => part !== 0))
    throw new Error('the intent bundle has a part that the harness does not know');
  const actions = Array.from({ length: count() }, (): BaseAction => {
    const escrowIndex = take(1).readUInt8(0);
    const handlerData = new Uint8Array(take(count()));
    take(4); // limit of compute units
    const escrowAuthority = call.accounts[take(1).readUInt8(0)] as Address;
    const destination = addressFromBytes(take(32));
    const accounts = Array.from({ length: count() }, (): AccountMeta => {
      const address = addressFromBytes(take(32));
      return { address, role: take(1).readUInt8(0) === 1 ? AccountRole.WRITABLE : AccountRole.READONLY };
    });
    return { escrowIndex, escrowAuthority, destination, source: LEDGER_PROGRAM, accounts, data: handlerData };
  });
  if (at !== data.length) throw new Error('the intent bundle goes on');
  return actions;
}
