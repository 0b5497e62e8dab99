import {
  balanceRent,
  buildClaimTransaction,
  type Claim,
  delegateScheduleInstructions,
  deriveBalanceAddresses,
  fetchSchedule,
  findBatchAddress,
  findConfigAddress,
  sendToBase,
} from '@payouts/client';
import { type Employer, until, type World } from './world.ts';

const RANGE = 62;

/** Opens a window as the execution authority, without a coordinator, and waits until the layer has the batch. */
export async function openWindow(world: World, employer: Employer, window: bigint): Promise<void> {
  const { data: schedule } = await fetchSchedule(world.ledgers.base, employer.schedule);
  await sendToBase(
    world.ledgers,
    await delegateScheduleInstructions({
      authority: world.authority,
      schedule: employer.schedule,
      vault: employer.vault,
      mint: employer.mint,
      window,
      rootVersion: schedule.rootVersion,
      lendLamports: balanceRent(employer.list.recipients.length),
    }),
    world.authority,
  );
}

/** Claims leaves `start` to `end` as the execution authority, without a coordinator. */
export async function claimRange(world: World, employer: Employer, start: number, end: number): Promise<void> {
  const derived = await deriveBalanceAddresses({ mint: employer.mint, recipients: employer.list.recipients });
  const claims = employer.list.recipients.map(
    (leaf, index): Claim => ({
      ...leaf,
      balance: derived[index]?.address ?? leaf.recipient,
      bump: derived[index]?.bump ?? 0,
    }),
  );
  for (let at = start; at < end; at += RANGE) {
    const to = Math.min(at + RANGE, end);
    await until(async () => {
      const { value: lifetime } = await world.ledgers.layer.getLatestBlockhash().send();
      const { wire, signature } = await buildClaimTransaction({
        authority: world.authority,
        config: await findConfigAddress(),
        batch: await findBatchAddress(employer.schedule),
        claims: claims.slice(at, to),
        proof: employer.list.tree.rangeProof(at, to - at),
        lifetime,
      });
      // Whatever the answer, the status decides: the layer may be too late to look at it.
      await world.ledgers.layer
        .sendTransaction(wire, { encoding: 'base64', skipPreflight: true })
        .send()
        .catch(() => {});
      return until(
        async () => {
          const status = (await world.ledgers.layer.getSignatureStatuses([signature]).send()).value[0];
          return status === null || status === undefined ? undefined : status.err === null || undefined;
        },
        'a claim to be executed',
        1_000,
      ).catch(() => undefined);
    }, `claims ${at} to ${to}`);
  }
}
