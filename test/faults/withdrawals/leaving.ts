import { setTimeout as sleep } from 'node:timers/promises';
import {
  actFor,
  buildTransaction,
  getSetStandingOrderInstruction,
  nextPersonalNumber,
  type OwnInstructions,
  openPersonalInstruction,
  personalNamed,
  requestWithdrawalInstructions,
} from '@payouts/client';
import type { Address, Instruction, TransactionSigner } from '@solana/kit';
import type { BalanceWatch, Held } from './balances.ts';
import type { Person, Stage } from './stage.ts';

const LOOK_MS = 50;
/** Milliseconds after which what was not done is sent again, and after which it is signed anew. */
const AGAIN_MS = 1_000;
const ANEW_MS = 20_000;
const COMPUTE_UNITS = 100_000;
/** Of those who ask more than once: who doesn't wait until the last withdrawal is paid. */
const AT_ONCE = 0.5;

/** What is needed to have money leave. */
export type Leaving = { readonly stage: Stage; readonly watch: BalanceWatch; readonly deadline: number };

/** Nothing of a balance is on its way. */
const isCleared = ({ underWay }: Held): boolean => underWay.length === 0;

/** Has somebody's money leave in their own way, so many times, and waits until it has. */
export async function leave(leaving: Leaving, person: Person, times: number): Promise<void> {
  const { way, wallet, amount } = person;
  if (way === 'request') {
    for (let left = times; left > 0; left--) await ask(leaving, person, left === 1);
    return seen(leaving, person, isCleared);
  }
  person.asked += amount;
  if (way === 'order' && !leaving.watch.of(person)?.personal?.orderThreshold) {
    const order: Building = (signer, personal) => [
      getSetStandingOrderInstruction({ signer, personal, threshold: amount, wallet }),
    ];
    await act(leaving, person, order, ({ personal }) => personal?.orderThreshold === amount);
  }
  await seen(leaving, person, (now) => isCleared(now) && now.amount === 0n);
}

/** Asks for a part of a balance, and as a rule waits until it is paid. */
async function ask(leaving: Leaving, person: Person, isLast: boolean): Promise<void> {
  const { stage, watch } = leaving;
  const { wallet } = person;
  const { mint } = stage.employer;
  const { amount: before, place } = watch.of(person) as Held;
  const everything = isLast && stage.random.chance(0.5);
  const amount = everything ? before : 1n + stage.random.amount(before / 2n);
  const asked = { page: place.page, mint, wallet, amount: everything ? ('all' as const) : amount };
  person.asked += amount;
  const request: Building = (signer, personal) => requestWithdrawalInstructions({ ...asked, personal, signer });
  await act(leaving, person, request, (now) => now.amount === before - amount);
  if (isLast || !stage.random.chance(AT_ONCE)) await seen(leaving, person, isCleared);
}

/** Builds what is asked of a balance in its personal account. */
type Building = (signer: TransactionSigner, personal: Address) => Instruction[] | Promise<Instruction[]>;

/**
 * Has instructions about a balance take effect. The account that they take is made where there is none, each at another address: coordinators
 * wipe and close one of which nothing is left.
 */
async function act(
  leaving: Leaving,
  person: Person,
  build: Building,
  isDone: (balance: Held) => boolean,
): Promise<void> {
  const { key, balance } = person;
  const { time } = leaving.stage.world.ledgers;
  const executionAuthority = leaving.stage.world.authority.address;
  for (let tries = 0; ; tries++) {
    const now = leaving.watch.of(person) as Held;
    if (isDone(now)) return;
    const isOpen = now.personal !== undefined;
    const made = personalNamed(balance.mint, now.next.key, nextPersonalNumber(now.next.last));
    const personal = now.personal?.address ?? made.address;
    const open = async (signer: TransactionSigner) => [
      await openPersonalInstruction({
        ...{ signer, executionAuthority, isPrivate: false, personal: made },
        balance: { ...balance, ...now.place },
      }),
    ];
    const asking = (signer: TransactionSigner) => build(signer, personal);
    const own = () => actFor(key, { personal, time }, isOpen ? asking : open);
    await sendUntil(leaving, person, own, (seen) => isDone(seen) || (seen.personal !== undefined) !== isOpen, tries);
    await leaving.watch.fresh();
  }
}

/**
 * Sends the same bytes until they have had their effect: the layer takes them once however often they come. They are authorised and signed
 * anew only when a transaction would have been executed or forgotten long ago.
 */
async function sendUntil(
  leaving: Leaving,
  person: Person,
  own: () => Promise<OwnInstructions>,
  isDone: (balance: Held) => boolean,
  nonce: number,
): Promise<void> {
  const { stage, watch, deadline } = leaving;
  const { layer } = stage.world.ledgers;
  for (let tries = nonce; ; tries++) {
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
        const now = watch.of(person);
        if (now !== undefined && isDone(now)) return;
        await sleep(LOOK_MS);
      }
    }
    if (Date.now() > deadline) throw new Error('the layer does not take what was asked for');
    if (signed === undefined) await sleep(AGAIN_MS);
  }
}

async function seen({ watch, deadline }: Leaving, person: Person, isSo: (balance: Held) => boolean): Promise<void> {
  await watch.fresh();
  for (;;) {
    const now = watch.of(person);
    if (now !== undefined && isSo(now)) return;
    if (Date.now() > deadline) {
      const numbers = now?.underWay.map(({ number }) => number).join(', ');
      throw new Error(`a withdrawal (${person.way}) is not over: numbers ${numbers}`);
    }
    await sleep(LOOK_MS);
  }
}
