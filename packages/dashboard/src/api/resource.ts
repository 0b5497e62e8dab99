import type { Timer } from '@payouts/client/browser';
import { isSignedIn } from '@payouts/pages/session/session';
import { useTime } from '@payouts/pages/useTime';
import { useSignalEffect } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type Change, changes } from './live.ts';

/** Something that is read, shown, and read again. What was read stays on the page while it is read anew, and when that fails. */
export type Resource<T> = {
  readonly data: T | undefined;
  readonly error: unknown;
  readonly isLoading: boolean;
  readonly refresh: () => void;
};

type Options = {
  /** Milliseconds after which it is read again without an event. */
  readonly every?: number;
  /** Which events change it; all by default. */
  readonly concerns?: (change: Change) => boolean;
};

/** Events come in crowds when a window settles: one read answers all of them. */
const GATHER_MS = 400;
const RETRY_MS = 4_000;

/** Reads while the component is shown; `key` names what is read, undefined reads nothing. */
export function useResource<T>(
  key: string | undefined,
  load: (abort: AbortSignal) => Promise<T>,
  { every, concerns = () => true }: Options = {},
): Resource<T> {
  const [state, setState] = useState<{ key?: string; data?: T; error?: unknown; isLoading: boolean }>({
    isLoading: true,
  });
  const [turn, setTurn] = useState(0);
  const latest = useRef({ load, concerns });
  latest.current = { load, concerns };
  const time = useTime();
  const timer = useRef<Timer>(undefined);
  const who = isSignedIn.value;

  const soon = (ms: number) => {
    timer.current?.cancel();
    timer.current = time.after(ms, () => setTurn((count) => count + 1));
  };

  // Somebody else's answers are not shown to whoever signs in next.
  useEffect(() => {
    if (key === undefined) return;
    const abort = new AbortController();
    setState((before) => (before.key === key ? { ...before, isLoading: true } : { key, isLoading: true }));
    latest.current.load(abort.signal).then(
      (data) => {
        if (abort.signal.aborted) return;
        setState({ key, data, isLoading: false });
        if (every !== undefined) soon(every);
      },
      (error: unknown) => {
        if (abort.signal.aborted) return;
        setState((before) => ({ ...before, error, isLoading: false }));
        soon(RETRY_MS);
      },
    );
    return () => {
      abort.abort();
      timer.current?.cancel();
    };
  }, [key, turn, who, every]);

  useSignalEffect(() => {
    const change = changes.value;
    if (change !== undefined && latest.current.concerns(change)) soon(GATHER_MS);
  });

  const isCurrent = state.key === key;
  return {
    data: isCurrent ? state.data : undefined,
    error: isCurrent ? state.error : undefined,
    isLoading: key !== undefined && (!isCurrent || state.isLoading),
    refresh: () => setTurn((count) => count + 1),
  };
}
