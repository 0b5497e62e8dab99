/** An event of a stream as it was received. */
export type StreamedEvent = { readonly event: string; readonly id: string; readonly data: Record<string, unknown> };

/** A stream of events that is open, with what it has brought so far. */
export type EventStream = Awaited<ReturnType<typeof followEvents>>;

/** Follows GET /api/events as a browser does; `after` is sent as Last-Event-ID. */
export async function followEvents(apiUrl: string, after?: string, query = '') {
  const closing = new AbortController();
  const headers: Record<string, string> = after === undefined ? {} : { 'last-event-id': after };
  const response = await fetch(`${apiUrl}/api/events${query}`, { headers, signal: closing.signal });
  if (!response.ok || response.body === null) throw new Error(`the stream was answered ${response.status}`);
  const events: StreamedEvent[] = [];
  const ended = (async () => {
    let rest = '';
    const decoder = new TextDecoder();
    for await (const bytes of response.body as unknown as AsyncIterable<Uint8Array>) {
      const blocks = (rest + decoder.decode(bytes, { stream: true })).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) {
        const fields = Object.fromEntries(
          block.split('\n').map((line) => {
            const at = line.indexOf(': ');
            return [line.slice(0, at), line.slice(at + 2)];
          }),
        );
        if (fields.data === undefined) continue;
        events.push({ event: fields.event ?? 'message', id: fields.id ?? '', data: JSON.parse(fields.data) });
      }
    }
  })();
  ended.catch(() => {});
  /** `ended` resolves when the other side has ended it in order, and rejects when it broke off. */
  return { events, ended, close: () => closing.abort() };
}
