import { setTimeout as sleep } from 'node:timers/promises';
import { createSchedule, deposit } from '@payouts/cli';
import {
  BatchPhase,
  buildClaimTransaction,
  type Claim,
  deriveBalanceAddresses,
  fetchMaybeBatch,
  findBatchAddress,
  findConfigAddress,
  type Payee,
  planClaims,
  prepareList,
} from '@payouts/client';
import { openWindow } from '@payouts/testing/claims';
import { type Employer, until, type World } from '@payouts/testing/world';
import { settingSpecs } from '../../packages/coordinator/dist/config/specs.js';
import { forEachLimited } from '../../packages/coordinator/dist/platform/concurrency.js';
import { saltOf, somePayees } from './payees.ts';

/** As many as the coordinator has under way, by default. */
const IN_FLIGHT = settingSpecs(false).claimsInFlight.default as number;
const LOOK_MS = 5;
const LOST_AFTER_MS = 300_000;
const LIFETIME_MS = 500;
const REFUSED_MS = 50;
const TERMS = {
  calendar: { unit: 'seconds', every: 86_400, day: 0 },
  executions: 1,
  batchTimeout: 3_600,
} as const;

/** Claims a second, sent by nobody but this process. */
export type BareClaims = { readonly new: number; readonly known: number };

/** Promises the payees again under another schedule of the same vault: the same recipients with the same balances. */
async function promise(world: World, employer: Employer, payees: readonly Payee[], id: bigint): Promise<Employer> {
  const { signer, mint } = employer;
  const list = prepareList(payees, { saltFor: saltOf });
  await deposit(world.ledgers, signer, mint, list.total);
  const firstExecution = BigInt(Math.floor(Date.now() / 1_000) - 60);
  const schedule = await createSchedule(world.ledgers, signer, mint, list, { ...TERMS, id, firstExecution });
  return { ...employer, schedule, list };
}

async function paidCount(world: World, employer: Employer): Promise<number | undefined> {
  const batch = await fetchMaybeBatch(world.ledgers.layer, await findBatchAddress(employer.schedule));
  return batch.exists && batch.data.phase === BatchPhase.Open ? batch.data.paidCount : undefined;
}

/** Pays an open window in the transactions that the coordinator would send; seconds until the batch has all of them. */
async function pay(world: World, employer: Employer, areKnown: boolean): Promise<number> {
  const { list, mint, schedule } = employer;
  const { layer } = world.ledgers;
  const balances = await deriveBalanceAddresses({ mint, recipients: list.recipients });
  const claims = list.recipients.map((leaf, index): Claim => {
    const { address, bump } = balances[index] as (typeof balances)[number];
    return { ...leaf, balance: address, bump };
  });
  const ranges = [
    ...planClaims({
      count: claims.length,
      balanceAt: (index) => (claims[index] as Claim).balance,
      paidBitmap: new Uint8Array(Math.ceil(claims.length / 8)),
      isKnown: () => areKnown,
    }),
  ];
  const [config, batch] = [await findConfigAddress(), await findBatchAddress(schedule)];
  const readLifetime = async () => (await layer.getLatestBlockhash().send()).value;
  let lifetime = await readLifetime();
  let readAt = performance.now();
  const send = async ({ start, count }: (typeof ranges)[number]): Promise<void> => {
    const { wire } = await buildClaimTransaction({
      authority: world.authority,
      config,
      batch,
      claims: claims.slice(start, start + count),
      proof: list.tree.rangeProof(start, count),
      lifetime,
      computeUnitLimit: 1_400_000,
    });
    await layer.sendTransaction(wire, { encoding: 'base64', skipPreflight: true }).send();
  };
  const begun = performance.now();
  await forEachLimited(ranges, IN_FLIGHT, async (range) => {
    for (;;) {
      if (performance.now() - readAt > LIFETIME_MS) {
        readAt = performance.now();
        lifetime = await readLifetime();
      }
      try {
        return await send(range);
      } catch (error) {
        // The layer follows each new balance on the base ledger first, and refuses the claim when too many wait for that.
        if (performance.now() - begun > LOST_AFTER_MS) throw error;
        await sleep(REFUSED_MS);
      }
    }
  });
  while ((await paidCount(world, employer)) !== claims.length) {
    if (performance.now() - begun > LOST_AFTER_MS) throw new Error('The execution layer lost claims.');
    await sleep(LOOK_MS);
  }
  return (performance.now() - begun) / 1_000;
}

/**
 * The limit that a window is held against: its claims in the same batches, sent bare, to new balances and then to the same ones. Windows
 * stay open.
 *
 * @throws when a claim was lost
 */
export async function measureBareClaims(world: World, recipients: number): Promise<BareClaims> {
  const employer = await world.employer(somePayees(1), {
    firstExecution: BigInt(Math.floor(Date.now() / 1_000) + 86_400),
  });
  const payees = somePayees(recipients);
  const rate = async (id: bigint, areKnown: boolean): Promise<number> => {
    const promised = await promise(world, employer, payees, id);
    await openWindow(world, promised, 0n);
    await until(async () => await paidCount(world, promised), 'the layer to have the batch');
    return recipients / (await pay(world, promised, areKnown));
  };
  return { new: await rate(1n, false), known: await rate(2n, true) };
}
