import { setTimeout as sleep } from 'node:timers/promises';
import {
  actFor,
  type Balance,
  buildTransaction,
  getSetStandingOrderInstruction,
  type OwnInstructions,
  requestWithdrawalInstructions,
} from '@payouts/client';
import type { BalanceWatch } from './balances.ts';
import type { Person, Stage } from './stage.ts';

const LOOK_MS = 50;
/** Milliseconds after which what was not done is sent again, and after which it is signed anew. */
const AGAIN_MS = 1_000;
const ANEW_MS = 20_000;
const COMPUTE_UNITS = 100_000;

/** What is needed to have money leave. */
export type Leaving = { readonly stage: Stage; readonly watch: BalanceWatch; readonly deadline: number };

/** Nothing of a balance is to leave any more, or on its way. */
const isCleared = ({ pendingNumber, deliver }: Balance): boolean => pendingNumber === 0n && deliver === 0n;

/** Has somebody's money leave in their own way, so many times one after the other, and waits until it has. */
export async function leave(leaving: Leaving, person: Person, times: number): Promise<void> {
  const { way, key, balance, wallet, amount } = person;
  const { time } = leaving.stage.world.ledgers;
  if (way === 'request') {
    for (let left = times; left > 0; left--) await ask(leaving, person, left === 1);
    return;
  }
  person.asked += amount;
  if (way === 'order' && leaving.watch.of(balance)?.orderThreshold === 0n) {
    const own = () =>
      actFor(key, { balance, time }, (signer) => [
        getSetStandingOrderInstruction({ signer, balance, threshold: amount, wallet }),
      ]);
    await sendUntil(leaving, person, own, (now) => now.orderThreshold === amount);
  }
  await seen(leaving, person, (now) => isCleared(now) && now.amount === 0n);
}

/** Asks for a part of a balance, and waits until it is paid. */
async function ask(leaving: Leaving, person: Person, isLast: boolean): Promise<void> {
  const { stage, watch } = leaving;
  const { key, balance, wallet } = person;
  const { mint } = stage.employer;
  const before = watch.of(balance)?.amount ?? 0n;
  const everything = isLast && stage.random.chance(0.5);
  const amount = everything ? before : 1n + stage.random.amount(before / 2n);
  const asked = { balance, mint, wallet, amount: everything ? ('all' as const) : amount };
  person.asked += amount;
  const isTaken = (now: Balance) => now.amount === before - amount;
  const { time } = stage.world.ledgers;
  const own = () => actFor(key, { ...asked, time }, (signer) => requestWithdrawalInstructions({ ...asked, signer }));
  await sendUntil(leaving, person, own, isTaken);
  await seen(leaving, person, isCleared);
}

/**
 * Sends the same bytes until they have had their effect: the layer takes them once however often they come. They are authorised and signed
 * anew only when a transaction would have been executed or forgotten long ago.
 */
async function sendUntil(
  leaving: Leaving,
  { balance }: Person,
  own: () => Promise<OwnInstructions>,
  isDone: (balance: Balance) => boolean,
): Promise<void> {
  const { stage, watch, deadline } = leaving;
  const { layer } = stage.world.ledgers;
  for (let tries = 0; ; tries++) {
    const { instructions, feePayer } = await own();
    const signed = await layer
      .getLatestBlockhash()
      .send()
      .then(({ value: lifetime }) =>
        buildTransaction({ feePayer, instructions, lifetime, computeUnitLimit: COMPUTE_UNITS + tries }),
      )
      .catch(() => undefined);
    const anewAt = Date.now() + ANEW_MS;
    while (signed !== undefined && Date.now() < anewAt) {
      await layer
        .sendTransaction(signed.wire, { encoding: 'base64', skipPreflight: true })
        .send()
        .catch(() => {});
      const againAt = Date.now() + AGAIN_MS;
      while (Date.now() < againAt) {
        const now = watch.of(balance);
        if (now !== undefined && isDone(now)) return;
        await sleep(LOOK_MS);
      }
    }
    if (Date.now() > deadline) throw new Error('the layer does not take what was asked for');
    if (signed === undefined) await sleep(AGAIN_MS);
  }
}

async function seen(
  { watch, deadline }: Leaving,
  { balance, way }: Person,
  isSo: (balance: Balance) => boolean,
): Promise<void> {
  await watch.fresh();
  for (;;) {
    const now = watch.of(balance);
    if (now !== undefined && isSo(now)) return;
    if (Date.now() > deadline) throw new Error(`a withdrawal (${way}) is not over: number ${now?.pendingNumber}`);
    await sleep(LOOK_MS);
  }
}
