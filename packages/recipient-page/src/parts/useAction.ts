import { useState } from 'preact/hooks';

/** Something that a person has the page do: whether it is under way, what it came to, and why it failed. */
export type PageAction<T> = {
  readonly isBusy: boolean;
  readonly error: unknown;
  readonly result: T | undefined;
  readonly run: (work: () => Promise<T>) => void;
  readonly clear: () => void;
};

export function useAction<T = void>(): PageAction<T> {
  const [state, setState] = useState<{ isBusy: boolean; error?: unknown; result?: T }>({ isBusy: false });
  const run = (work: () => Promise<T>) => {
    setState({ isBusy: true });
    work().then(
      (result) => setState({ isBusy: false, result }),
      (error: unknown) => setState({ isBusy: false, error }),
    );
  };
  return {
    isBusy: state.isBusy,
    error: state.error,
    result: state.result,
    run,
    clear: () => setState({ isBusy: false }),
  };
}
