/** What makes a process believe that it is so many seconds later, as NODE_OPTIONS. */
export function clockAheadBy(seconds: number): string {
  const code = `const Real = Date; const real = Real.now;
globalThis.Date = class extends Real {
  constructor(...given) { given.length === 0 ? super(real() + ${seconds * 1_000}) : super(...given); }
  static now() { return real() + ${seconds * 1_000}; }
};`;
  return `--import=data:text/javascript,${encodeURIComponent(code)}`;
}
