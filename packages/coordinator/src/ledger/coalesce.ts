import { type Lifetime, Merging, type Time } from '@payouts/client';
import type { Address, Signature } from '@solana/kit';
import type { LedgerMethod } from '../platform/metrics/ledgers.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { AccountsAtSlot, Commitment, Ledger, SignatureStatus } from './ledger.ts';
import { shared } from './shared.ts';

/** What a ledger answers at once. */
const MOST_ADDRESSES = 100;
const MOST_SIGNATURES = 256;
/** Milliseconds for which an answer that does no harm when it is a little old serves others too: less than a slot or a few. */
const LIFETIME_MS = { base: 500, layer: 250 } as const;
const HEIGHT_MS = 200;

/**
 * The same ledger, asked less often: reads that many runs make at about the same time become one request. Accounts and statuses are
 * never older than the call that asks for them; a lifetime or a block height may be, by a moment.
 */
export function coalesced<Name extends Ledger['name']>(
  ledger: Ledger & { readonly name: Name },
  { time, metrics }: { readonly time: Time; readonly metrics?: Metrics },
): Ledger & { readonly name: Name } {
  const { name } = ledger;
  const joined = (method: LedgerMethod) => () => metrics?.ledgerCallsJoined.inc({ ledger: name, method });
  const reading = (commitment: Commitment) =>
    new Merging<Address, AccountsAtSlot>({
      most: MOST_ADDRESSES,
      ask: (addresses) => ledger.accounts(addresses, commitment),
      pick: ({ slot, accounts }, places) => ({ slot, accounts: places.map((place) => accounts[place] ?? null) }),
      onJoined: joined('getMultipleAccounts'),
      time,
    });
  const readings = { confirmed: reading('confirmed'), finalized: reading('finalized') };
  const statuses = new Merging<Signature, readonly (SignatureStatus | null)[]>({
    most: MOST_SIGNATURES,
    ask: (signatures) => ledger.statuses(signatures),
    pick: (answer, places) => places.map((place) => answer[place] ?? null),
    onJoined: joined('getSignatureStatuses'),
    time,
  });
  const lifetime = shared<Lifetime>(LIFETIME_MS[name], {
    ask: () => ledger.lifetime(),
    onJoined: joined('getLatestBlockhash'),
    time,
  });
  const blockHeight = shared<bigint>(HEIGHT_MS, {
    ask: () => ledger.blockHeight(),
    onJoined: joined(name === 'base' ? 'getEpochInfo' : 'getBlockHeight'),
    time,
  });
  return {
    name,
    accounts: (addresses, commitment = 'confirmed') => readings[commitment].call(addresses),
    statuses: (signatures) => statuses.call(signatures),
    lifetime,
    blockHeight,
    programAccounts: (program, holding) => ledger.programAccounts(program, holding),
    send: (wire) => ledger.send(wire),
  };
}
