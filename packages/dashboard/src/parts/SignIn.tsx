import { Dialog } from '@payouts/pages/parts/Dialog';
import { signal } from '@preact/signals';
import { later } from './Later.tsx';

const isShown = signal(false);

export const askToSignIn = (): void => {
  isShown.value = true;
};
const close = (): void => {
  isShown.value = false;
};

/** Whoever looks at public pages only loads nothing of keys, wallets and names. */
const SignInWays = later(async () => (await import('./SignInWays.tsx')).SignInWays);

/** Signs in by a wallet of this browser, or by a command with a key elsewhere. */
export const SignIn = () => (
  <Dialog title="Sign in" isOpen={isShown.value} onClose={close}>
    <SignInWays onDone={close} />
  </Dialog>
);
