import { BALANCE_PAGE_KIND, type BalancePlace, derivePageAddress, type PageName, personalKey } from '@payouts/client';
import type { Address } from '@solana/kit';
import { pageOfPlace, slotOfPlace } from '../domain/places.ts';
import { type ExecutionLayer, type LedgerAccount, readAccounts } from '../ledger/ledger.ts';

/** Reads the pages of a token that the database has. */
export type ReadPages = (mint: Address) => Promise<readonly PageName[]>;

/** A page of balances and its address. */
export type KnownPage = PageName & { readonly address: Address };

/** Where the pages of one token are, and which of them the layer has. */
class TokenPages {
  readonly pages = new Map<number, KnownPage>();
  readonly made = new Set<number>();
}

/** Where pages of balances are. Private: a page's address is a secret. */
export class BalancePages {
  readonly #tokens = new Map<Address, TokenPages>();

  constructor(
    private readonly input: {
      readonly layer: ExecutionLayer;
      readonly program: Address;
      readonly readPages: ReadPages;
    },
  ) {}

  /** The pages with these numbers, read from the database where they are not known. Throws for a number that it does not have. */
  async of(mint: Address, numbers: Iterable<number>): Promise<ReadonlyMap<number, KnownPage>> {
    const { pages } = this.#of(mint);
    const wanted = [...numbers];
    if (wanted.some((number) => !pages.has(number))) {
      for (const page of await this.input.readPages(mint)) {
        const { address } = derivePageAddress(mint, page.nonce, this.input.program);
        pages.set(page.number, { ...page, address });
      }
    }
    return new Map(wanted.map((number) => [number, required(pages.get(number))]));
  }

  /** All pages of a token that the database has. */
  async all(mint: Address): Promise<KnownPage[]> {
    const names = await this.input.readPages(mint);
    return [
      ...(
        await this.of(
          mint,
          names.map(({ number }) => number),
        )
      ).values(),
    ];
  }

  /** Of these pages, those that the layer does not have; it is not asked for those from the number `begunFrom` on, which have been begun just now. */
  async missing(mint: Address, pages: Iterable<KnownPage>, begunFrom = Number.POSITIVE_INFINITY): Promise<KnownPage[]> {
    const { made } = this.#of(mint);
    const missing: KnownPage[] = [];
    const unknown = new Map<Address, KnownPage>();
    for (const page of pages) {
      if (page.number >= begunFrom) missing.push(page);
      else if (!made.has(page.number)) unknown.set(page.address, page);
    }
    await readAccounts(this.input.layer, [...unknown.keys()], (address, account) => {
      const page = unknown.get(address) as KnownPage;
      if (isPage(account, this.input.program)) made.add(page.number);
      else missing.push(page);
    });
    return missing;
  }

  /** The layer has these pages. */
  noteMade(mint: Address, numbers: Iterable<number>): void {
    const { made } = this.#of(mint);
    for (const number of numbers) made.add(number);
  }

  /** What is known may be wrong: the database has taken over what the layer shows, or the layer has gone back. */
  forget(mint: Address): void {
    this.#tokens.delete(mint);
  }

  #of(mint: Address): TokenPages {
    const token = this.#tokens.get(mint) ?? new TokenPages();
    this.#tokens.set(mint, token);
    return token;
  }
}

/** Whether the layer shows a page of balances there. */
export const isPage = (account: LedgerAccount | null, program: Address): account is LedgerAccount =>
  account?.owner === program && account.data[0] === BALANCE_PAGE_KIND;

/** Where a place of a token is, among known pages. */
export const placeIn =
  (pages: ReadonlyMap<number, KnownPage>) =>
  (place: number): BalancePlace => ({
    page: required(pages.get(pageOfPlace(place))).address,
    slot: slotOfPlace(place),
  });

/** What the addresses of a balance's personal accounts follow from, 16 bytes; by its place and its owner, among known pages. Private. */
export const personalKeyIn =
  (pages: ReadonlyMap<number, KnownPage>) =>
  (place: number, owner: Uint8Array): Uint8Array =>
    personalKey(required(pages.get(pageOfPlace(place))).nonce, owner);

function required(page: KnownPage | undefined): KnownPage {
  if (page === undefined) throw new Error('The database has no such page of balances.');
  return page;
}
