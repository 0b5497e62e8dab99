import type { Time } from '@payouts/client/browser';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';

/** The time that the page goes by, from its entry. */
export const PageTime = createContext<Time | undefined>(undefined);

/** The time that the page goes by. */
export function useTime(): Time {
  const time = useContext(PageTime);
  if (time === undefined) throw new Error('Nothing is shown outside of PageTime.');
  return time;
}
