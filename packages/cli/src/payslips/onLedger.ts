import { decodeEvents, fetchMaybeConfig, findConfigAddress, type SignedWindow } from '@payouts/client';
import { createSolanaRpc, type Signature } from '@solana/kit';

/** What the base ledger says of a signed window. */
export type LedgerLook = {
  /** What the ledger contradicts, each as a sentence; none: it agrees. */
  readonly faults: readonly string[];
  /** Whether the issuer is the execution authority that the program's config names now; it may have been another one then. */
  readonly isAuthority: boolean;
};

/**
 * Looks a window's settlement up on the base ledger and compares what it logged. Throws kit's errors when the node can't be reached.
 *
 * @param rpcUrl of a node that keeps history as far back as the window
 */
export async function lookOnLedger(settled: SignedWindow, rpcUrl: string): Promise<LedgerLook> {
  const rpc = createSolanaRpc(rpcUrl);
  const { signature, slot, transaction } = settled.settlement;
  const config = await fetchMaybeConfig(rpc, await findConfigAddress({ programAddress: settled.program }));
  const isAuthority = config.exists && config.data.executionAuthority === settled.issuer;
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
  if (found.transaction[0] !== Buffer.from(transaction).toString('base64')) {
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
    Buffer.compare(Uint8Array.from(event.bitmapHash), settled.bitmapHash) !== 0
  ) {
    faults.push('The ledger settled the window with other numbers.');
  }
  return { faults, isAuthority };
}
