import type { Time } from '@payouts/client';

/** An answer for everybody who asks within so many milliseconds of its question; a failure is only for those who wait for it. */
export function shared<T>(
  milliseconds: number,
  { ask, onJoined, time }: { readonly ask: () => Promise<T>; readonly onJoined?: () => void; readonly time: Time },
): () => Promise<T> {
  let last: { readonly askedAt: number; readonly answer: Promise<T> } | undefined;
  return () => {
    const now = time.monotonic();
    if (last !== undefined && now - last.askedAt < milliseconds) {
      onJoined?.();
      return last.answer;
    }
    const asked = { askedAt: now, answer: ask() };
    last = asked;
    asked.answer.catch(() => {
      if (last === asked) last = undefined;
    });
    return asked.answer;
  };
}
