/** The person said no in their wallet. */
export class WalletRefused extends Error {
  override readonly name = 'WalletRefused';
}

/** A wallet that can't do what it was asked for, or does not do what it says. The message says what to do. */
export class WalletFailed extends Error {
  override readonly name = 'WalletFailed';
}

/** Codes of a person's no: of wallets' own providers (EIP-1193, which most took over), and of the Wallet Standard. */
const REFUSALS: readonly unknown[] = [4001, 4_001_000];
/** How wallets without a code say it: "User rejected the request.", "Approval Denied", "Transaction cancelled". */
const REFUSAL_WORDS = /\b(reject|den(y|ied)|declin|cancel|dismiss|closed by the user)/i;

type Said = { readonly code?: unknown; readonly message?: unknown; readonly context?: { readonly __code?: unknown } };

/** What a wallet threw, told apart: a person's no, or a fault of the wallet. */
export function asWalletError(error: unknown, wallet: string): WalletRefused | WalletFailed {
  if (error instanceof WalletFailed) return error;
  const { code, message, context } = (typeof error === 'object' && error !== null ? error : {}) as Said;
  const words = typeof message === 'string' ? message : '';
  if (REFUSALS.includes(code) || REFUSALS.includes(context?.__code) || REFUSAL_WORDS.test(words)) {
    return new WalletRefused(`You refused it in ${wallet}. Nothing was done.`, { cause: error });
  }
  const said = words === '' ? '' : ` It says: ${words.replace(/\.?$/, '.')}`;
  return new WalletFailed(`${wallet} could not do it.${said} Unlock it and try again.`, { cause: error });
}
