import { millisOf } from '@payouts/client';
import type { RunEvent } from '../../store/queries/runEvents.ts';
import type { EventBatch } from './feed.ts';

/** Milliseconds that a browser waits before it connects again. */
const RETRY_MS = 2_000;

/** What is told of a change; counts, states and codes only. */
function dataOf(event: RunEvent): object {
  const { schedule: schedulePda, window_number: window, state, at } = event;
  if (event.kind === 'schedule') {
    return { schedulePda, status: state, window, nextExecution: millisOf(event.next_execution as string) };
  }
  if (event.kind === 'condition') {
    return { schedulePda, window, condition: event.condition, state, at: Number(at) };
  }
  const claims = { paid: event.claims_paid, total: event.claims_total };
  return { schedulePda, window, state, stage: event.stage, claims, errorCode: event.error_code, at: Number(at) };
}

const block = (event: string, id: string | bigint, data: object): string =>
  `event: ${event}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`;

/** The beginning of a stream: from which id on it tells, or that what was missed can't be told. */
export const beginningText = ({ position, isReset }: EventBatch): string =>
  `retry: ${RETRY_MS}\n${block(isReset ? 'reset' : 'ready', position, {})}`;

/** Events as they are written into a stream (the HTML standard, 9.2); a comment where there are none. With `schedule`, only its own. */
export function eventsText({ events, position }: EventBatch, schedule: string | undefined): string {
  const shown = schedule === undefined ? events : events.filter((event) => event.schedule === schedule);
  // The id goes on all the same, or a new connection would begin far back.
  if (shown.length === 0) return `: heartbeat\nid: ${position}\n\n`;
  return shown.map((event) => block(event.kind, event.id, dataOf(event))).join('');
}
