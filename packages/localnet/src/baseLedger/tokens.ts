import type { Address } from '@solana/kit';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../addresses.ts';
import type { AccountState } from './account.ts';
import { toAddress } from './base58.ts';
import type { TokenAmount } from './records.ts';

const MINT_BYTES = 82;
const TOKEN_ACCOUNT_BYTES = 165;
/** Token-2022 writes an account's kind after the longest base layout, before its extensions. */
const KIND_OFFSET = 165;
const KIND_MINT = 1;
const KIND_ACCOUNT = 2;

/** A token account's base layout, the same in both token programs. */
export interface TokenAccount {
  readonly mint: Address;
  readonly owner: Address;
  readonly amount: bigint;
  readonly delegate: Address | null;
  readonly delegatedAmount: bigint;
  readonly state: 'initialized' | 'frozen';
  readonly isNative: boolean;
  readonly closeAuthority: Address | null;
}

/** A mint's base layout, the same in both token programs. */
export interface Mint {
  readonly mintAuthority: Address | null;
  readonly supply: bigint;
  readonly decimals: number;
  readonly isInitialized: boolean;
  readonly freezeAuthority: Address | null;
}

/** Whether the program is SPL token or token-2022. */
export function isTokenProgram(program: string): boolean {
  return program === TOKEN_PROGRAM || program === TOKEN_2022_PROGRAM;
}

/** Reads a token account; null when it is none. */
export function readTokenAccount(account: AccountState): TokenAccount | null {
  if (!hasLayout(account, TOKEN_ACCOUNT_BYTES, KIND_ACCOUNT)) return null;
  const data = Buffer.from(account.data);
  const state = data[108];
  if (state !== 1 && state !== 2) return null;
  return {
    mint: toAddress(data.subarray(0, 32)),
    owner: toAddress(data.subarray(32, 64)),
    amount: data.readBigUInt64LE(64),
    delegate: optionalAddress(data, 72),
    state: state === 1 ? 'initialized' : 'frozen',
    isNative: data.readUInt32LE(109) === 1,
    delegatedAmount: data.readBigUInt64LE(121),
    closeAuthority: optionalAddress(data, 129),
  };
}

/** Reads a mint; null when it is none. */
export function readMint(account: AccountState): Mint | null {
  if (!hasLayout(account, MINT_BYTES, KIND_MINT)) return null;
  const data = Buffer.from(account.data);
  return {
    mintAuthority: optionalAddress(data, 0),
    supply: data.readBigUInt64LE(36),
    decimals: data[44] ?? 0,
    isInitialized: data[45] === 1,
    freezeAuthority: optionalAddress(data, 46),
  };
}

/** An amount in base units in Solana's JSON shape. */
export function toTokenAmount(amount: bigint, decimals: number): TokenAmount {
  const digits = amount.toString().padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = decimals === 0 ? '' : digits.slice(-decimals).replace(/0+$/, '');
  const uiAmountString = fraction === '' ? whole : `${whole}.${fraction}`;
  return { amount: amount.toString(), decimals, uiAmount: Number(uiAmountString), uiAmountString };
}

function hasLayout(account: AccountState, baseBytes: number, kind: number): boolean {
  if (!isTokenProgram(account.owner)) return false;
  const { data } = account;
  return data.length === baseBytes || (data.length > KIND_OFFSET && data[KIND_OFFSET] === kind);
}

/** A u32 flag, then 32 bytes. */
function optionalAddress(data: Buffer, offset: number): Address | null {
  return data.readUInt32LE(offset) === 1 ? toAddress(data.subarray(offset + 4, offset + 36)) : null;
}
