import type { Time } from '@payouts/client/browser';
import { signatureFor } from '@payouts/pages/session/session';
import { signal } from '@preact/signals';
import { EventReader } from './eventStream.ts';
import { signsEverything } from './request.ts';

/** How the page hears of changes: from the stream, by asking now and then, or not at all. */
export type Connection = 'connecting' | 'live' | 'polling' | 'offline';
/** Something has changed; without a schedule: perhaps everything. */
export type Change = { readonly schedulePda?: string; readonly window?: string };

/** Tells which changes are about a schedule. */
export const isAbout =
  (schedule: string) =>
  ({ schedulePda }: Change): boolean =>
    schedulePda === undefined || schedulePda === schedule;

export const connection = signal<Connection>('connecting');
export const changes = signal<Change | undefined>(undefined);

const PATH = '/api/events';
/** Milliseconds without a byte after which the stream counts as lost: heartbeats come every 15 s. */
const SILENCE_MS = 40_000;
const POLL_MS = 3_000;
const AGAIN_MS = 2_000;
/** Polls between two tries of a stream that was not there. */
const POLLS_A_TRY = 10;

let lastId: string | undefined;
let abort = new AbortController();

/** Follows the coordinator for as long as the page is open: by events, or by polling where there is no stream. */
export async function follow(time: Time): Promise<never> {
  for (;;) {
    const heard = await stream(time).catch(() => 'lost' as const);
    if (heard === 'none') await poll(time);
    else {
      if (connection.value === 'live') connection.value = 'connecting';
      await time.pause(AGAIN_MS);
      if (!(await isThere())) connection.value = 'offline';
      changes.value = {};
    }
  }
}

/** Begins the stream anew, because somebody signed in or out. */
export function reconnect(): void {
  abort.abort();
}

async function stream(time: Time): Promise<'none' | 'lost'> {
  abort = new AbortController();
  const { signal: aborted } = abort;
  const headers = new Headers({ accept: 'text/event-stream' });
  if (lastId !== undefined) headers.set('last-event-id', lastId);
  if (signsEverything())
    for (const [name, value] of Object.entries(await signatureFor('GET', PATH))) headers.set(name, value);
  const response = await fetch(PATH, { headers, signal: aborted, cache: 'no-store', credentials: 'omit' });
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  if (!response.ok || !isStream || response.body === null) return 'none';
  // What happened before the stream began is read once.
  connection.value = 'live';
  changes.value = {};
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  const events = new EventReader();
  for (;;) {
    const silence = time.after(SILENCE_MS, () => abort.abort());
    const { done, value } = await reader.read().finally(() => silence.cancel());
    if (done) return 'lost';
    for (const event of events.push(value)) {
      lastId = event.id ?? lastId;
      changes.value = JSON.parse(event.data) as Change;
    }
  }
}

async function poll(time: Time): Promise<void> {
  for (let count = 0; count < POLLS_A_TRY && !abort.signal.aborted; count++) {
    connection.value = (await isThere()) ? 'polling' : 'offline';
    changes.value = {};
    await time.pause(POLL_MS);
  }
}

const isThere = (): Promise<boolean> =>
  fetch('/api/health', { cache: 'no-store', credentials: 'omit' }).then(
    () => true,
    () => false,
  );
