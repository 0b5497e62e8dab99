/**
 * Has all requests of this process go through what `wrap` makes of those before. Once by its name: a setup file is loaded again for each
 * test file of a process.
 */
export function wrapFetch(name: string, wrap: (real: typeof fetch) => typeof fetch): void {
  const isWrapped = Symbol.for(`payouts.fetch.${name}`);
  if (isWrapped in globalThis) return;
  globalThis.fetch = wrap(globalThis.fetch);
  Object.assign(globalThis, { [isWrapped]: true });
}
