import type { Lifetime, SendMoment, SignedTransaction } from '@payouts/client';
import { unlessUnreachable } from '../domain/errors.ts';
import type { StageContext } from './context.ts';

/**
 * Milliseconds before the second look at a status, which is there after about one, and the longest wait between two, each twice the last: a
 * public endpoint may limit calls. And how long one is asked for.
 */
const LOOK_MS = 4;
const LONGEST_LOOK_MS = 200;
const STATUS_WITHIN_MS = 5_000;
/** Milliseconds between two sends of the same bytes: the layer takes them once. */
const RESEND_MS = 500;
/** The execution layer's limit for one transaction, and how far below it a transaction may ask, to differ from its twins. */
const COMPUTE_UNITS = 1_400_000;
const NONCES = 100_000;

/** Tries of what a layer refuses because it has fetched the program just now, and milliseconds until the second one, each wait longer by as much. */
const TRIES = 3;
const AGAIN_MS = 300;

/** Limits of compute units, each another one: the layer takes an identical transaction for the same one, so a repeat must differ. */
export class DifferingLimits {
  #nonce: number;

  constructor({ time }: Pick<StageContext, 'time'>) {
    this.#nonce = Math.floor(time.random() * NONCES);
  }

  next(): number {
    this.#nonce = (this.#nonce + 1) % NONCES;
    return COMPUTE_UNITS - this.#nonce;
  }
}

/**
 * Sends a transaction to the execution layer that is not kept before, because its bytes are private and a repeat is harmless. Returns its
 * error, or null when it succeeded or no status came. Throws `RunError` when the layer is gone.
 */
export async function sendUnkept(
  { layer, time, signal }: Pick<StageContext, 'layer' | 'time' | 'signal'>,
  { wire, signature }: SignedTransaction,
  failpoint?: (moment: SendMoment) => Promise<void>,
): Promise<unknown> {
  const deadline = time.now() + STATUS_WITHIN_MS;
  let lookMs = LOOK_MS;
  for (let sentAt = Number.NEGATIVE_INFINITY; ; ) {
    if (time.now() - sentAt >= RESEND_MS) {
      await failpoint?.('before-send');
      sentAt = time.now();
      const answer = await layer.send(wire).catch(unlessUnreachable);
      if (answer?.kind === 'refused') return answer.err;
      await failpoint?.('after-send');
    }
    const isOver = time.now() >= deadline;
    // Only the last look must be answered: a layer that is gone is not taken for one that has nothing to say.
    const [status] = (await layer.statuses([signature]).catch(isOver ? undefined : unlessUnreachable)) ?? [];
    if (status) {
      await failpoint?.('after-landing');
      return status.err;
    }
    if (isOver) return null;
    await time.pause(lookMs, signal);
    lookMs = Math.min(lookMs * 2, LONGEST_LOOK_MS);
  }
}

/** Whether a layer has refused what names the program because it has fetched it in the same slot: the next one takes it. */
const isTooEarly = (err: unknown): boolean =>
  (err as { InstructionError?: readonly unknown[] } | null)?.InstructionError?.[1] === 'UnsupportedProgramId';

/** What makes a transaction another one than the last. */
type Terms = { readonly lifetime: Lifetime; readonly computeUnitLimit: number };

/** Sends what is not kept before, see `sendUnkept`; again as another transaction where it came too early. */
export class LayerSender {
  readonly #limits: DifferingLimits;

  constructor(private readonly context: Pick<StageContext, 'layer' | 'time' | 'signal'>) {
    this.#limits = new DifferingLimits(context);
  }

  async send(
    build: (terms: Terms) => Promise<SignedTransaction>,
    failpoint?: (moment: SendMoment) => Promise<void>,
  ): Promise<unknown> {
    const { layer, time, signal } = this.context;
    for (let tries = 1; ; tries++) {
      const terms = { lifetime: await layer.lifetime(), computeUnitLimit: this.#limits.next() };
      const err = await sendUnkept(this.context, await build(terms), failpoint);
      if (tries === TRIES || !isTooEarly(err)) return err;
      await time.pause(AGAIN_MS * tries, signal);
    }
  }
}
