const zoned = new Intl.DateTimeFormat(undefined, {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  timeZoneName: 'short',
});

/** A moment in the reader's time, with its zone: what somebody agrees to leaves nothing to guess. Unix milliseconds. */
export const zonedText = (at: number): string => zoned.format(at);
