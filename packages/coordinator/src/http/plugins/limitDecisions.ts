import type { Time } from '@payouts/client';
import type { Counter } from 'prom-client';
import type { Problem } from '../../domain/problems.ts';
import type { Logger } from '../../platform/log/log.ts';
import type { LimitOutcome } from '../../platform/metrics/http.ts';

/** Milliseconds between two lines about the same: a flood of requests is none of lines. */
const LINE_EVERY_MS = 1_000;

/** Counts and logs what limits decide; in a dry run it lets everything pass. */
export class LimitDecisions {
  readonly #isDryRun: boolean;
  readonly #log: Logger;
  readonly #time: Pick<Time, 'monotonic'>;
  /** When a line was last written, and decisions since. */
  readonly #lines = new Map<string, { at: number; times: number }>();

  constructor(isDryRun: boolean, { log, time }: { readonly log: Logger; readonly time: Pick<Time, 'monotonic'> }) {
    this.#isDryRun = isDryRun;
    this.#log = log;
    this.#time = time;
  }

  /** Throws what `refusal` returns if the request is over the limit. */
  decide(counter: Counter<'route' | 'outcome'>, route: string, isAllowed: boolean, refusal: () => Problem): void {
    const outcome: LimitOutcome = isAllowed ? 'allowed' : this.#isDryRun ? 'would-limit' : 'limited';
    counter.inc({ route, outcome });
    if (isAllowed) return;
    const problem = refusal();
    this.#write(route, outcome, problem.code);
    if (!this.#isDryRun) throw problem;
  }

  #write(route: string, outcome: LimitOutcome, code: string): void {
    const key = `${route} ${code}`;
    const line = this.#lines.get(key) ?? { at: Number.NEGATIVE_INFINITY, times: 0 };
    line.times += 1;
    this.#lines.set(key, line);
    const now = this.#time.monotonic();
    if (now - line.at < LINE_EVERY_MS) return;
    this.#log.warn({ route, outcome, code, times: line.times }, 'requests over a limit');
    line.at = now;
    line.times = 0;
  }
}
