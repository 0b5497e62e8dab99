import type { Time } from '@payouts/client';

/** Ends a wait that nobody needs any more. One for all: to make one takes a stack's trace, which counts at ten of them a window. */
export const OVER = new DOMException('It is over.', 'AbortError');

/** What is promised, or undefined when that takes longer than so many milliseconds. Throws what the promise is rejected with. */
export async function withTimeout<T>(
  time: Pick<Time, 'pause'>,
  milliseconds: number,
  promised: Promise<T>,
): Promise<T | undefined> {
  const isOver = new AbortController();
  const late = time.pause(milliseconds, isOver.signal).then(
    () => undefined,
    () => undefined,
  );
  try {
    return await Promise.race([promised, late]);
  } finally {
    isOver.abort(OVER);
  }
}
