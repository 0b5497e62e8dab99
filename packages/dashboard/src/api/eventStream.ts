/** One event of `text/event-stream`. */
export type StreamEvent = { readonly id: string | undefined; readonly type: string; readonly data: string };

/** Splits a stream's text into events, whatever pieces it arrives in; comments only keep the connection open. */
export class EventReader {
  #rest = '';

  /** The events that are complete with this piece. */
  push(piece: string): StreamEvent[] {
    const blocks = (this.#rest + piece).replaceAll('\r\n', '\n').split('\n\n');
    this.#rest = blocks.pop() ?? '';
    return blocks.map(eventOf).filter((event) => event !== undefined);
  }
}

function eventOf(block: string): StreamEvent | undefined {
  let id: string | undefined;
  let type = 'message';
  const data: string[] = [];
  for (const line of block.split('\n')) {
    const [, field, value = ''] = /^([^:]+)(?:: ?(.*))?$/.exec(line) ?? [];
    if (field === 'data') data.push(value);
    else if (field === 'event') type = value;
    else if (field === 'id') id = value;
  }
  return data.length === 0 ? undefined : { id, type, data: data.join('\n') };
}
