/** The part of a path from the packages on: where somebody has put the project is nobody's business. */
const INSIDE = /(?:(?:packages|node_modules)\/|(?=node:))([@A-Za-z0-9._:/-]+):(\d{1,6}):\d{1,6}\)?$/;
/** Each part is shorter than any address or salt. */
const PLACE =
  /^(?:(?:[@A-Za-z0-9._-]{1,30}\/){1,12}[A-Za-z0-9._-]{1,26}\.[cm]?[jt]s|node:(?:[a-z_]{1,24}\/?){1,4}):\d{1,6}$/;
const CALL = /^ {4}at /;

/** Whether a text is a place in the source, such as coordinator/src/main.ts:12. */
export function isPlace(text: string): boolean {
  return PLACE.test(text);
}

/** Where an error was thrown: file and line of the first call that lies in a package. Nothing of its message. */
export function placeOf({ stack, message }: Error): string | undefined {
  if (typeof stack !== 'string' || typeof message !== 'string') return undefined;
  // The message stands before the calls and may have lines that look like them.
  const at = stack.indexOf(message);
  if (at < 0) return undefined;
  for (const line of stack.slice(at + message.length).split('\n')) {
    const [, file, number] = CALL.test(line) ? (INSIDE.exec(line) ?? []) : [];
    const place = `${file}:${number}`;
    if (file !== undefined && isPlace(place)) return place;
  }
  return undefined;
}
