import { isSignedIn } from '@payouts/pages/session/session';
import type { ConnectedWallet } from '@payouts/pages/session/wallets';
import { computed, signal } from '@preact/signals';

const wallet = signal<ConnectedWallet | undefined>(undefined);

/** The wallet that has signed in; undefined: nobody has, or with a key that is elsewhere. */
export const connectedWallet = computed(() => (isSignedIn.value ? wallet.value : undefined));

/** Keeps the wallet that signs in, or that somebody signs in without one. */
export const keepWallet = (connected: ConnectedWallet | undefined): void => {
  wallet.value = connected;
};
