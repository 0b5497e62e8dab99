import { useState } from 'preact/hooks';

type Attempt = {
  readonly isBusy: boolean;
  readonly error: unknown;
  /** Does something that takes a moment and may fail; what went wrong is in `error` until the next attempt. */
  readonly attempt: (work: () => Promise<unknown>) => void;
};

export function useAttempt(): Attempt {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const attempt = (work: () => Promise<unknown>) => {
    setBusy(true);
    setError(undefined);
    work()
      .catch(setError)
      .finally(() => setBusy(false));
  };
  return { isBusy, error, attempt };
}
