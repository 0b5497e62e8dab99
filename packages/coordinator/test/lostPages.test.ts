import { BatchPhase, bitmapPageCount, getBatchEncoder } from '@payouts/client';
import { BLANK_BATCH } from '@payouts/testing/blankAccounts';
import { manualTime } from '@payouts/testing/manualTime';
import { type Blockhash, generateKeyPairSigner } from '@solana/kit';
import { expect, it } from 'vitest';
import type { ExecutionLayer, LedgerAccount } from '../src/ledger/ledger.ts';
import { PayableLists } from '../src/lists/payableLists.ts';
import { claimRecipients } from '../src/runs/claimRecipients.ts';
import type { StageContext, StageInput } from '../src/runs/context.ts';
import { balancesOver } from './support/balances.ts';
import { layerShowing } from './support/fakeLayer.ts';
import { PlacedToken, PROGRAM, payloadKeys } from './support/placedToken.ts';
import { randomAddress } from './support/promised.ts';
import { useStore } from './support/stores.ts';

const store = useStore('PGlite');

/** A layer that refuses every claim, as one does where it has no page of balances. */
const refusingLayer = (accounts: () => readonly LedgerAccount[]): ExecutionLayer => ({
  ...layerShowing(accounts),
  lifetime: async () => ({ blockhash: randomAddress() as string as Blockhash, lastValidBlockHeight: 1n }),
  send: async () => ({ kind: 'taken' }),
  statuses: async () => [{ err: { InstructionError: [1, 'InvalidAccountOwner'] }, commitment: 'finalized' }],
});

it('pages that were seen and are gone are asked for again before the next try', async () => {
  const token = new PlacedToken(store.query);
  const kept = await token.list(1);
  const at = { schedule: kept.schedule, batch: randomAddress(), window: 0n, program: PROGRAM };
  const batch = { ...BLANK_BATCH, mint: token.mint, phase: BatchPhase.Open, recipients: 1, bitmapNonce: 7 };
  const open = { ...batch, bitmapPages: 2 ** bitmapPageCount(1) - 1 };
  const data = Uint8Array.from(getBatchEncoder().encode(open));
  let hasPages = true;
  const accounts = () => [
    { address: at.batch, owner: PROGRAM, lamports: 1n, data },
    ...(hasPages ? token.layer.accounts() : []),
  ];
  const layer = refusingLayer(accounts);
  const balances = balancesOver({ database: store.query, payloadKeys, layer, program: PROGRAM });
  const list = await token.row(kept);
  const payees = await new PayableLists({ database: store.query, payloadKeys }).read(list);
  await balances.place(list, payees, { vault: kept.vault, mint: token.mint });
  const pages = await balances.of(token.mint, payees);
  for (const { number, nonce } of pages.values()) token.layer.makePage(number, nonce);
  const missing = () => balances.pages.missing(token.mint, pages.values());
  expect(await missing()).toEqual([]);

  const time = manualTime();
  const context = {
    ...{ layer, balances, program: PROGRAM, config: randomAddress(), authority: await generateKeyPairSigner() },
    ...{
      base: layerShowing(() => []),
      permissions: { areThere: async () => false },
      claimsInFlight: 1,
      signal: new AbortController().signal,
    },
    time,
  } as unknown as StageContext;
  const payment = { batch: open, list, payees, pages, missing: new Set<number>() };
  const claim = () => time.during(claimRecipients(context, { at } as StageInput, payment));
  // Refused for another reason, the pages are as they were.
  await expect(claim()).rejects.toMatchObject({ code: 'claims-refused' });
  expect(await missing()).toEqual([]);
  hasPages = false;
  await expect(claim()).rejects.toMatchObject({ code: 'batch-not-visible' });
  expect(await missing()).toEqual([...pages.values()]);
});
