import { openVault } from '@payouts/cli';
import { createSampleToken } from '@payouts/sandbox';
import { type Employer, SUPPLY, type World } from '@payouts/testing/world';
import { type Address, generateKeyPairSigner, type KeyPairSigner } from '@solana/kit';
import type { Case } from './cases.ts';

/** Seconds that a window may stay open: far more than any case takes. */
const BATCH_TIMEOUT = 3_600;
/** Seconds from the promise of a case's schedules to their windows, so that all of them come due together. */
const DUE_IN = 2;

/** An employer with a token of their own, whom cases use one after the other. */
export type Lane = {
  readonly signer: KeyPairSigner;
  readonly mint: Address;
  readonly vault: Address;
  /** Schedules promised so far. */
  schedules: number;
};

export async function openLane(world: World): Promise<Lane> {
  const [signer, mintKey] = await Promise.all([generateKeyPairSigner(), generateKeyPairSigner()]);
  await world.fund(signer.address);
  const mint = mintKey.address;
  const token = { payer: world.admin, mint: mintKey, holder: signer.address, amount: SUPPLY };
  await createSampleToken(world.ledgers, token);
  return { signer, mint, vault: await openVault(world.ledgers, signer, mint), schedules: 0 };
}

/** Promises a case's lists, each of recipients whom nobody has paid before. */
export async function promiseCase(world: World, lane: Lane, { recipients, random }: Case): Promise<Employer[]> {
  const promised: Employer[] = [];
  for (const count of recipients) {
    const keys = await Promise.all(Array.from({ length: count }, () => generateKeyPairSigner()));
    const payees = keys.map(({ address }) => ({ recipient: address, amount: BigInt(1_000 + random.below(1_000_000)) }));
    lane.schedules += 1;
    promised.push(
      await world.promise(lane, payees, {
        id: BigInt(lane.schedules),
        executions: 1,
        firstExecution: BigInt(Math.floor(Date.now() / 1_000) + DUE_IN),
        batchTimeout: BATCH_TIMEOUT,
      }),
    );
  }
  return promised;
}
