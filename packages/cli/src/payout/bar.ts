import { Presets, SingleBar } from 'cli-progress';

/** A bar on standard error while something long goes on; nothing where standard error is no terminal. */
export function progressBar(what: string): { at(part: number): void; end(): void } {
  if (!process.stderr.isTTY) return { at: () => {}, end: () => {} };
  const format = `${what} {bar} {percentage} %`;
  const bar = new SingleBar(
    { format, clearOnComplete: true, hideCursor: true, barsize: 30, stream: process.stderr },
    Presets.shades_classic,
  );
  bar.start(100, 0);
  return { at: (part) => bar.update(Math.floor(part * 100)), end: () => bar.stop() };
}
