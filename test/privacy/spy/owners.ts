import { addressFromBytes, addressToBytes, deriveBalanceBytes, PAYOUT_LEDGER_PROGRAM_ADDRESS } from '@payouts/client';
import type { Address } from '@solana/kit';
import type { Evidence } from './evidence.ts';
import { Guesses } from './salts.ts';
import { askedFor, listsOf, lookupsOf, textOf } from './sight.ts';

const ADDRESS = /[1-9A-HJ-NP-Za-km-z]{32,44}/g;

type Owner = { readonly recipient: string; readonly mint: string };

/** Private balances that were found, whose they are, and what was tried for it. */
export type Owners = {
  readonly byAddress: ReadonlyMap<string, Owner>;
  readonly tried: number;
  readonly inSight: number;
  /** Owners whose balances the layer asked for together, in that order, by token. */
  readonly groups: readonly { readonly at: number; readonly mint: string; readonly recipients: readonly string[] }[];
};

const found = new WeakMap<Evidence, Owners>();

/** Tries the balances of every candidate under every salt that could be guessed against all addresses in sight; once. */
export function ownersOf(evidence: Evidence): Owners {
  const known = found.get(evidence);
  if (known !== undefined) return known;
  const guesses = new Guesses(evidence);
  const inSight = addressesInSight(evidence);
  const program = addressToBytes(PAYOUT_LEDGER_PROGRAM_ADDRESS);
  const byAddress = new Map<string, Owner>();
  const mints = [...new Set(listsOf(evidence).map((list) => list.mint))];
  let tried = 0;
  for (const mint of mints) {
    const mintBytes = addressToBytes(mint as Address);
    for (const candidate of evidence.candidates.addresses) {
      const recipient = addressToBytes(candidate as Address);
      for (const salt of guesses.of(recipient, mintBytes)) {
        tried += 1;
        const address = addressFromBytes(deriveBalanceBytes({ mint: mintBytes, recipient, salt, program }).bytes);
        if (inSight.has(address)) byAddress.set(address, { recipient: candidate, mint });
      }
    }
  }
  const groups = lookupsOf(evidence).flatMap(({ at, addresses }) =>
    mints.flatMap((mint) => {
      const owners = addresses.flatMap((address) => byAddress.get(address) ?? []);
      const recipients = owners.filter((owner) => owner.mint === mint).map(({ recipient }) => recipient);
      return recipients.length === 0 ? [] : [{ at, mint, recipients }];
    }),
  );
  const owners = { byAddress, tried, inSight: inSight.size, groups };
  found.set(evidence, owners);
  return owners;
}

/** All that looks like an address in any text or account. */
function addressesInSight(evidence: Evidence): Set<string> {
  const { answers, metrics, transactions, log, dump, backup } = evidence;
  const texts = [
    ...answers.map(textOf),
    ...metrics.map(({ text }) => text),
    ...transactions.flatMap(({ logMessages, accountKeys }) => [...logMessages, ...accountKeys]),
    log.toString('latin1'),
    dump.toString('latin1'),
    backup.toString('latin1'),
  ];
  return new Set([
    ...askedFor(evidence).keys(),
    ...texts.flatMap((text) => [...text.matchAll(ADDRESS)].map(([one]) => one)),
  ]);
}
