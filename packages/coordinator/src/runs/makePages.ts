import { buildPageTransaction, MAX_PAGES_MADE } from '@payouts/client';
import type { Address } from '@solana/kit';
import type { KnownPage } from '../balances/pages.ts';
import type { WindowAddresses } from '../ledger/probe.ts';
import { refusedError } from '../ledger/programErrors.ts';
import { chunksOf, forEachLimited } from '../platform/concurrency.ts';
import type { StageContext } from './context.ts';
import { LayerSender } from './layerSend.ts';

/**
 * Makes the pages that the layer does not have; an open window's batch pays for them. A layer that refuses their read permissions keeps
 * nobody from being paid: then pages are made without, and have nobody's balance yet. Throws `RunError` where none can be made.
 */
export async function makePages(
  context: StageContext,
  { batch }: WindowAddresses,
  mint: Address,
  wanted: Iterable<KnownPage>,
): Promise<void> {
  const { authority, config, program, permissions, balances, claimsInFlight } = context;
  const missing = await balances.pages.missing(mint, wanted);
  if (missing.length === 0) return;
  const arePermitted = await permissions.areThere();
  const sender = new LayerSender(context);
  const make = (pages: readonly KnownPage[], isPrivate: boolean): Promise<unknown> =>
    sender.send((terms) =>
      buildPageTransaction({ authority, config, batch, mint, pages, isPrivate, programAddress: program, ...terms }),
    );
  await forEachLimited(chunksOf(missing, MAX_PAGES_MADE), claimsInFlight, async (pages) => {
    let err = await make(pages, arePermitted);
    if (err !== null && arePermitted) err = await make(pages, false);
    if (err !== null) throw refusedError('making of pages', err);
  });
}
