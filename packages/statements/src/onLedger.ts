import {
  decodeEvents,
  fetchMaybeConfig,
  fetchMaybeSchedule,
  findConfigAddress,
  isSameBytes,
  type SignedWindow,
  toBase64,
} from '@payouts/client';
import type { Address, GetAccountInfoApi, GetTransactionApi, Rpc, Signature } from '@solana/kit';

/** A node of the base ledger that keeps history as far back as it is asked. */
export type HistoryRpc = Rpc<GetAccountInfoApi & GetTransactionApi>;

/** What the base ledger says of a signed window. */
export type LedgerLook = {
  /** What the ledger contradicts, each as a sentence; none: it agrees. */
  readonly faults: readonly string[];
  /** Whether the issuer is the execution authority that the program's config names now; it may have been another one then. */
  readonly isAuthority: boolean;
};

/** Whether whoever has signed something is the execution authority that the program's config names now. Throws kit's errors. */
export async function isAuthorityOnLedger(
  { program, issuer }: Pick<SignedWindow, 'program' | 'issuer'>,
  rpc: Rpc<GetAccountInfoApi>,
): Promise<boolean> {
  const config = await fetchMaybeConfig(rpc, await findConfigAddress({ programAddress: program }));
  return config.exists && config.data.executionAuthority === issuer;
}

/** Looks a window's settlement up on the base ledger and compares what it logged. Throws kit's errors when the node can't be reached. */
export async function lookOnLedger(settled: SignedWindow, rpc: HistoryRpc): Promise<LedgerLook> {
  const { signature, slot, transaction } = settled.settlement;
  const isAuthority = await isAuthorityOnLedger(settled, rpc);
  const found = await rpc
    .getTransaction(signature as Signature, {
      commitment: 'finalized',
      encoding: 'base64',
      maxSupportedTransactionVersion: 0,
    })
    .send();
  if (found === null) {
    return { faults: ['This node does not know the settlement: ask one that keeps all of its history.'], isAuthority };
  }
  if (found.meta?.err !== null) return { faults: ['The settlement failed on the ledger.'], isAuthority };
  const faults: string[] = [];
  if (found.transaction[0] !== toBase64(transaction)) {
    faults.push("The ledger's transaction of that signature is another one.");
  }
  if (slot !== null && slot !== found.slot) faults.push('The settlement landed in another slot.');
  const events = decodeEvents(found.meta.logMessages ?? [], { programAddress: settled.program });
  const event = events.find(
    (one) => one.__kind === 'WindowSettled' && one.schedule === settled.schedule && one.window === settled.window,
  );
  if (event?.__kind !== 'WindowSettled') faults.push('The ledger kept no event of the window in that transaction.');
  else if (
    event.paidCount !== settled.paidCount ||
    event.paidAmount !== settled.paid ||
    event.returned !== settled.promised - settled.paid ||
    !isSameBytes(Uint8Array.from(event.bitmapHash), settled.bitmapHash)
  ) {
    faults.push('The ledger settled the window with other numbers.');
  }
  return { faults, isAuthority };
}

/** What a schedule's account says of all its windows together. */
export type LedgerTotal = {
  /** The ledger program that it belongs to. */
  readonly program: Address;
  /** Windows that are over. */
  readonly windows: bigint;
  /** Base units that they have paid. */
  readonly paid: bigint;
  /** Of the list that it promises now. */
  readonly root: Uint8Array;
};

/** The schedule's own total on the base ledger; null: it was closed. Throws kit's errors when the node can't be reached. */
export async function totalOnLedger(schedule: Address, rpc: HistoryRpc): Promise<LedgerTotal | null> {
  const account = await fetchMaybeSchedule(rpc, schedule, { commitment: 'finalized' });
  if (!account.exists) return null;
  const { window, paidTotal, root } = account.data;
  return { program: account.programAddress, windows: window, paid: paidTotal, root: Uint8Array.from(root) };
}
