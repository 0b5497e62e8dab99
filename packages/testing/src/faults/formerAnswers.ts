import { type Answer, answeredAgain, type Call, errorAnswer, keyOf, leastSlotOf, resultAnswer } from './call.ts';

/** Milliseconds for which answers are kept. */
const KEPT_MS = 30_000;
/** Answers kept of a call. */
const KEPT = 300;
/** What a node says that has not come to the slot that a call insists on. */
const BEHIND = { code: -32_016, message: 'Minimum context slot has not been reached' } as const;

type Statuses = { readonly context: unknown; readonly value: readonly unknown[] };

/** What the ledger has answered, so that it can be answered again later: what a node says that is behind. */
export class FormerAnswers {
  readonly #answers = new Map<string, { readonly at: number; readonly answer: Answer }[]>();
  /** When the ledger first knew a signature. */
  readonly #knownSince = new Map<string, number>();

  /** Keeps an answer. */
  keep(call: Call, answer: Answer, now: number): void {
    if (!call.method.startsWith('get') || answer.status !== 200) return;
    if (call.method === 'getSignatureStatuses') {
      const statuses = this.#statuses(answer);
      for (const [place, signature] of (call.params[0] as string[]).entries()) {
        if (statuses?.value[place] && !this.#knownSince.has(signature)) this.#knownSince.set(signature, now);
      }
      return;
    }
    const key = keyOf(call);
    const kept = this.#answers.get(key) ?? [];
    kept.push({ at: now, answer });
    while (kept.length > KEPT || now - (kept[0]?.at ?? now) > KEPT_MS) kept.shift();
    this.#answers.set(key, kept);
  }

  /**
   * What was answered so many milliseconds ago, or the oldest answer there is to this call; where the call insists on a later slot, that the
   * node has not come to it. Undefined where nothing older than `answer` is known, which was answered now.
   */
  at(call: Call, answer: Answer, then: number): Answer | undefined {
    if (call.method === 'getSignatureStatuses') return this.#statusesAt(call, answer, then);
    const kept = this.#answers.get(keyOf(call)) ?? [];
    const found = kept.findLast(({ at }) => at <= then) ?? kept[0];
    if (found === undefined || found.answer === answer) return undefined;
    const isTooOld = slotOf(found.answer) < leastSlotOf(call);
    return isTooOld ? errorAnswer(call, BEHIND.code, BEHIND.message) : answeredAgain(call, found.answer);
  }

  /** Signatures that were not known then are answered with null. */
  #statusesAt(call: Call, answer: Answer, then: number): Answer | undefined {
    const statuses = this.#statuses(answer);
    if (statuses === undefined) return undefined;
    const signatures = call.params[0] as string[];
    const value = statuses.value.map((status, place) => {
      const since = this.#knownSince.get(signatures[place] as string) ?? 0;
      return since > then ? null : status;
    });
    const isOlder = value.some((status, place) => status !== statuses.value[place]);
    return isOlder ? resultAnswer(call, JSON.stringify({ ...statuses, value })) : undefined;
  }

  #statuses({ body }: Answer): Statuses | undefined {
    return (JSON.parse(body.toString('utf8')) as { result?: Statuses }).result;
  }
}

/** The slot of an answer; Infinity where it names none. */
function slotOf({ body }: Answer): number {
  const { result } = JSON.parse(body.toString('utf8')) as { result?: { context?: { slot?: number } } | null };
  return result?.context?.slot ?? Number.POSITIVE_INFINITY;
}
