import { createStore, del, get, set } from 'idb-keyval';

/** What tabs of this browser tell each other; it names nobody of the book. */
export type Told = { readonly kind: 'changed' | 'closed'; readonly wallet: string };

const store = () => createStore('payouts.names', 'books');
const channel = new BroadcastChannel('payouts.names');

/** The sealed book of a wallet's names; undefined if this browser keeps none. */
export const loadBook = (wallet: string): Promise<Uint8Array<ArrayBuffer> | undefined> => get(wallet, store());
export const saveBook = (wallet: string, bytes: Uint8Array<ArrayBuffer>): Promise<void> => set(wallet, bytes, store());
export const deleteBook = (wallet: string): Promise<void> => del(wallet, store());

/** Does something to a wallet's book while no other tab does. */
export const alone = <T>(wallet: string, work: () => Promise<T>): Promise<T> =>
  navigator.locks.request(`payouts.names ${wallet}`, work);

export const tellTabs = (told: Told): void => channel.postMessage(told);
export const onTold = (listen: (told: Told) => void): void =>
  channel.addEventListener('message', ({ data }: MessageEvent<Told>) => listen(data));
