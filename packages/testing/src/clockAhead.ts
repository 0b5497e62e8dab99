/** What makes a process believe that it is so many seconds later, as NODE_OPTIONS. */
export const clockAheadBy = (seconds: number): string => withClock(`const ahead = () => ${seconds * 1_000};`);

/** The same by the milliseconds that stand in a file, which may change while the process runs. */
export const clockAheadAsIn = (file: string): string =>
  withClock(`import { readFileSync } from "node:fs";
let [read, value] = [-Infinity, 0];
const ahead = () => {
  if (performance.now() - read > 20) [read, value] = [performance.now(), Number(readFileSync(${JSON.stringify(file)}, "utf8"))];
  return value;
};`);

function withClock(ahead: string): string {
  const code = `${ahead}
const Real = Date; const real = Real.now;
globalThis.Date = class extends Real {
  constructor(...given) { given.length === 0 ? super(real() + ahead()) : super(...given); }
  static now() { return real() + ahead(); }
};`;
  return `--import=data:text/javascript,${encodeURIComponent(code)}`;
}
