import {
  openingOf,
  ownerRecord,
  PAGE_SLOTS,
  type PayoutDelivery,
  type PersonalName,
  personalKey,
  personalNamed,
  personalNonce,
} from '@payouts/client';
import type { Address } from '@solana/kit';
import { bytesOf, derive, named, u32, u64 } from './addresses.ts';
import { delegationAccounts, escrowOf } from './delegation.ts';
import { ASSOCIATED_TOKEN_PROGRAM, LEDGER_PROGRAM } from './programs.ts';

const NUMBERS_OF_PAGE = 8_192;
const pda = (...seeds: (string | Uint8Array)[]) => derive(LEDGER_PROGRAM, ...seeds).address;

export const CONFIG = pda('config');

/** A mint and what the ledger program keeps of it once. */
export type Token = Readonly<ReturnType<typeof tokenOf>>;

export function tokenOf(mint: Address, program: Address) {
  const pool = pda('pool', bytesOf(mint));
  return {
    mint,
    program,
    pool,
    poolToken: associatedToken(pool, mint, program),
    counter: pda('counter', bytesOf(mint)),
    escrow: escrowOf(pool),
    sponsor: pda('sponsor', bytesOf(mint)),
    entry: whitelistEntry(mint),
  };
}

/** An employer's vault of a token. */
export type Vault = Readonly<ReturnType<typeof vaultOf>>;

export function vaultOf(employer: Address, token: Token) {
  const address = pda('vault', bytesOf(employer), bytesOf(token.mint));
  return {
    token,
    employer,
    address,
    tokenAccount: associatedToken(address, token.mint, token.program),
    employerToken: associatedToken(employer, token.mint, token.program),
    employerEntry: whitelistEntry(employer),
    approval: pda('approval', bytesOf(address)),
  };
}

/** A schedule of a vault, and its batch. */
export type Schedule = Readonly<ReturnType<typeof scheduleOf>>;

export function scheduleOf(vault: Vault, id: bigint) {
  const address = pda('schedule', bytesOf(vault.address), u64(id));
  const batch = batchOf(address);
  return { vault, id, address, batch, ...delegationAccounts(batch) };
}

/** The batch of a schedule. */
export const batchOf = (schedule: Address): Address => pda('batch', bytesOf(schedule));

/** A recipient with their salt, and their private balance of a token. */
export type Holder = Readonly<ReturnType<typeof holderOf>>;

/** The salt follows from the recipient: it is the same in every list. */
export const holderOf = (recipient: Address, token: Token, delivery: PayoutDelivery = 'balance') =>
  balanceOf(recipient, token, delivery, 'salt');

/** A recipient's balance that no list has: its owner is a payment code. */
export const payeeOf = (recipient: Address, token: Token): Holder => balanceOf(recipient, token, 'balance', 'code');

function balanceOf(recipient: Address, token: Token, delivery: PayoutDelivery, secret: 'salt' | 'code') {
  const salt = bytesOf(named(`${secret} of ${recipient}`)).slice(0, 16);
  const { owner, blind } = ownerRecord({ recipient, salt, delivery });
  const opening = openingOf(salt);
  const place = placeOf(token, owner);
  const { address: personal, number } = personalOf({ page: place.page, owner });
  const nonce = personalNonce(personalKey(place.page.nonce, owner), number);
  return { recipient, salt, opening, token, delivery, owner, blind, personal, nonce, ...place };
}

/** Where a private balance is. */
export interface Place {
  readonly page: BalancePage;
  readonly slot: number;
}

/** Owners that have a place among a token's pages, in the order in which they came. */
const places = new WeakMap<Token, Map<string, number>>();

/** The place of an owner among a token's pages: always the same. */
function placeOf(token: Token, owner: Uint8Array): Place {
  const known = places.get(token) ?? new Map<string, number>();
  places.set(token, known);
  const name = Buffer.from(owner).toString('hex');
  const place = known.get(name) ?? known.size;
  known.set(name, place);
  return { page: balancePageOf(token, Math.floor(place / PAGE_SLOTS)), slot: place % PAGE_SLOTS };
}

/** A page of a token's balances. */
export type BalancePage = Readonly<ReturnType<typeof balancePageOf>>;

export function balancePageOf(token: Token, number: number) {
  const nonce = bytesOf(named(`nonce of page ${number}`)).slice(0, 16);
  const { address, bump } = derive(LEDGER_PROGRAM, 'balances', bytesOf(token.mint), nonce);
  return { token, number, nonce, address, bump };
}

/** A page of a window's bitmap, by a nonce of the batch. */
export type BitmapPage = Readonly<ReturnType<typeof bitmapPageOf>>;

export function bitmapPageOf(schedule: Pick<Schedule, 'address'>, window: bigint, number: number, nonce = 0) {
  const seeds = [bytesOf(schedule.address), u64(window), u32(nonce), u32(number)];
  return { number, nonce, ...derive(LEDGER_PROGRAM, 'bitmap', ...seeds) };
}

/** The account that holds what a recipient asks of a balance: one of those that are made of it, by the place from 0 among them. */
export const personalOf = (
  { page, owner }: { readonly page: BalancePage; readonly owner: Uint8Array },
  made = 0,
): PersonalName =>
  personalNamed(page.token.mint, personalKey(page.nonce, owner), made + 1, { programAddress: LEDGER_PROGRAM });

/** Where an employer gives a key its role. */
export function roleOf(employer: Address, holder: Address): Address {
  return pda('role', bytesOf(employer), bytesOf(holder));
}

export function whitelistEntry(subject: Address): Address {
  return pda('whitelist', bytesOf(subject));
}

export function pageOf(token: Token, number: bigint): Address {
  return pda('page', bytesOf(token.mint), u32(Number(number / BigInt(NUMBERS_OF_PAGE))));
}

export function redeemedPageOf(token: Token, index: number): Address {
  return pda('redeemed', bytesOf(token.mint), u32(Math.floor(index / NUMBERS_OF_PAGE)));
}

export function associatedToken(owner: Address, mint: Address, program: Address): Address {
  return derive(ASSOCIATED_TOKEN_PROGRAM, bytesOf(owner), bytesOf(program), bytesOf(mint)).address;
}
