export type NamesErrorCode =
  | 'NAMES_NOT_A_FILE'
  | 'NAMES_NEWER'
  | 'NAMES_DAMAGED'
  | 'NAMES_WRONG_WALLET'
  | 'NAMES_WRONG_PASSPHRASE'
  | 'NAMES_WALLET_VARIES'
  | 'NAMES_PASSPHRASE_SHORT'
  | 'NAMES_NOT_KEPT';

/** Why names can't be opened or kept. The message says what to do, and names nobody. */
export class NamesError extends Error {
  override readonly name = 'NamesError';
  constructor(
    readonly code: NamesErrorCode,
    message: string,
  ) {
    super(message);
  }
}
