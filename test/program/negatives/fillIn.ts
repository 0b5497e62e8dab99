import { bytesOf, derive } from '@payouts/testing/litesvm/addresses';
import { CONFIG } from '@payouts/testing/litesvm/handles';
import { LEDGER_PROGRAM } from '@payouts/testing/litesvm/programs';
import type { World } from '@payouts/testing/litesvm/world';
import type { Address } from '@solana/kit';
import type { TokenScene } from '../fixtures/index.ts';
import type { Scene } from '../harness/fixture.ts';

const FLAGS = 3;
const WHOEVER_IS_LISTED = 3;
const ALLOWED = 1;
const WHITELIST_KIND = 9;
const ENTRY_BYTES = 96;
const PAGE_KIND = 8;
const REDEEMED_KIND = 10;
const PAGE_BYTES = 64 + 1_024;
const FIRST_PAGE = new Uint8Array(4);

interface NamedAccount {
  readonly name: string;
  readonly address: Address;
}

/** The instructions that read pages of numbers, which may exist or not: elsewhere a page is one of balances. */
const READERS: readonly string[] = ['payOut', 'confirmWithdrawal', 'redeem'];

/** Whether an instruction reads pages of numbers. */
export const hasPages = (instruction: string) => READERS.includes(instruction);

/** Puts the pages of a call in place, empty, so that they can be made wrong. */
export function placePages(scene: Scene, accounts: readonly NamedAccount[]): void {
  const { token } = scene as Partial<TokenScene>;
  for (const { name, address } of accounts) {
    if (token === undefined || scene.world.base.account(address) !== undefined) continue;
    const mint = bytesOf(token.mint);
    if (name === 'page') place(scene.world, address, pageOf(PAGE_KIND, 'page', mint));
    if (name === 'redeemed') place(scene.world, address, pageOf(REDEEMED_KIND, 'redeemed', mint));
  }
}

/**
 * Switches the whitelist on and puts on it whomever the call has entries of, so that the entries are read: `employerEntry` is that of
 * the account `employer`, `mintEntry` that of the scene's token where the call doesn't name the mint.
 */
export function whitelistAll(scene: Scene, accounts: readonly NamedAccount[]): void {
  const { world, token } = scene as Scene & Partial<TokenScene>;
  const config = world.base.account(CONFIG);
  const entries = accounts.filter(({ name }) => name.endsWith('Entry'));
  if (config === undefined || entries.length === 0) return;
  const data = config.data.slice();
  data[FLAGS] = WHOEVER_IS_LISTED;
  world.base.set({ ...config, data });
  for (const { name, address } of entries) {
    const named = accounts.find((account) => account.name === name.replace('Entry', ''));
    const subject = named?.address ?? (name === 'mintEntry' ? token?.mint : undefined);
    if (subject === undefined) throw new Error(`the call names ${name} but not whose it is`);
    const entry = new Uint8Array(ENTRY_BYTES);
    entry.set([WHITELIST_KIND, 1, derive(LEDGER_PROGRAM, 'whitelist', bytesOf(subject)).bump, ALLOWED]);
    entry.set(bytesOf(subject), 8);
    place(world, address, entry);
  }
}

/** An empty page, the first of its kind. */
function pageOf(kind: number, seed: string, mint: Uint8Array): Uint8Array {
  const page = new Uint8Array(PAGE_BYTES);
  page.set([kind, 1, derive(LEDGER_PROGRAM, seed, mint, FIRST_PAGE).bump]);
  page.set(mint, 8);
  return page;
}

function place(world: World, address: Address, data: Uint8Array): void {
  const lamports = world.base.minimumBalance(data.length);
  world.base.set({ address, data, lamports, owner: LEDGER_PROGRAM, executable: false });
}
