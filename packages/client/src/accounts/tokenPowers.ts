import { mintExtensions } from './mintExtensions.ts';

/** Layouts: spl-token-2022, `extension/{transfer_fee,transfer_hook,pausable}` and `state`. */
const FREEZE_AUTHORITY = 46;
const ACCOUNT_STATE = 108;
const FROZEN = 2;
const TRANSFER_FEE = 1;
const HOOK = 14;
const PAUSABLE = 26;
/** Behind two authorities and what was withheld: the fee until an epoch and the one from it on; each an epoch, the most, and a share. */
const FEE_SHARES = [88, 106] as const;
const HOOK_PROGRAM = 32;
const PAUSED = 32;

/** What an extension lets somebody do, so that governance lists a mint before it is paid in; in the program's `token.rs`, too. */
const POWERS: readonly (readonly [extension: number, power: string])[] = [
  [12, 'take tokens out of every account'],
  [TRANSFER_FEE, 'take a fee of every transfer'],
  [HOOK, 'have a program of theirs decide on every transfer'],
  [PAUSABLE, 'stop all transfers'],
  [6, 'have new accounts frozen until they thaw them'],
  [3, 'close the mint once nobody has tokens'],
  [4, 'have amounts hidden in accounts that ask for it'],
  [16, 'take a fee of hidden transfers'],
];

/** What somebody may do to everybody's tokens of a mint, in words behind "can"; empty: nothing. `data`: the mint's. */
export function tokenPowers(data: Uint8Array): readonly string[] {
  const extensions = mintExtensions(data);
  const freezes = (data[FREEZE_AUTHORITY] ?? 0) === 0 ? [] : ['freeze every account'];
  return [...freezes, ...POWERS.flatMap(([extension, power]) => (extensions.has(extension) ? [power] : []))];
}

/** Why tokens of a mint don't move, as its issuer has set it; undefined: they do. Accounts are those between which they are to move. */
export function whyTokensStay(
  mint: Uint8Array,
  accounts: readonly (readonly [whose: string, data: Uint8Array])[],
): string | undefined {
  const extensions = mintExtensions(mint);
  const fee = extensions.get(TRANSFER_FEE) ?? [];
  if (FEE_SHARES.some((at) => (fee[at] ?? 0) !== 0 || (fee[at + 1] ?? 0) !== 0)) {
    return "The token's issuer takes a fee of every transfer.";
  }
  if (extensions.get(HOOK)?.subarray(HOOK_PROGRAM).some(Boolean)) {
    return "The token's issuer has a program of theirs decide on every transfer.";
  }
  if (extensions.get(PAUSABLE)?.[PAUSED] === 1) return "The token's issuer has stopped all transfers.";
  const frozen = accounts.find(([, data]) => data[ACCOUNT_STATE] === FROZEN);
  return frozen && `The token's issuer has frozen the ${frozen[0]}'s account.`;
}
