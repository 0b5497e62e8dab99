import type { BalancePage, Holder, Token } from '@payouts/testing/litesvm/handles';
import type { Address } from '@solana/kit';
import { known, rule, sameBytes } from './rule.ts';

/** A page of private balances. */
export interface PageModel {
  readonly page: BalancePage;
  readonly token: Token;
}

/** A private balance: whose it is, and where; a place of a page that is free has none. */
export interface SlotModel {
  readonly holder: Holder;
  amount: bigint;
  /** Of its last personal account; 0: it had none. */
  personalNumber: number;
}

/** A withdrawal under way; without a number it waits for its release, and its amount is part of the balance. */
export interface WithdrawingModel {
  /** Among its balance's own. */
  readonly id: number;
  readonly amount: bigint;
  number: bigint | undefined;
  wallet: Address;
  /** Of the release, unix seconds; 0: at once. */
  dueAt: bigint;
  /** It may leave in a round before that. */
  inRound: boolean;
  /** It is a private transfer: `wallet` is the payment code. */
  readonly isTransfer: boolean;
  /** It is begun once the balance has as much, and takes nothing of it before. */
  stands: boolean;
}

/** What a recipient has asked of a private balance. */
export interface PersonalModel {
  /** With the account's own address: each that is made of a balance has another one. */
  readonly holder: Holder;
  readonly isDelivery: boolean;
  /** Withdrawals that may be under way at a time. */
  readonly most: number;
  nextId: number;
  threshold: bigint;
  orderWallet: Address | undefined;
  /** What each withdrawal of the order takes; 0: everything. */
  part: bigint;
  /** Seconds within which the release of the order's withdrawals lies. */
  delays: readonly [least: bigint, most: bigint];
  withdrawals: WithdrawingModel[];
  recovery: RecoveryModel | undefined;
  /** Unix seconds. */
  readonly madeAt: bigint;
}

/** A personal account that was wiped. */
export interface WipedModel {
  readonly token: Token;
  readonly nonce: Uint8Array;
  /** Withdrawals for which it has room still. */
  readonly most: number;
  /** Unix seconds. */
  readonly wipedAt: bigint;
}

/** What waits for its release, base units. */
export const waitingOf = ({ withdrawals }: PersonalModel): bigint =>
  withdrawals.reduce((sum, { number, amount, stands }) => (number === undefined && !stands ? sum + amount : sum), 0n);

const placeText = (page: Address, slot: number): string => `${page} ${slot}`;

/** Who may recover a balance; times in unix seconds. */
export interface RecoveryModel {
  /** undefined: nobody, any more */
  wallet: Address | undefined;
  change: { readonly wallet: Address | undefined; readonly from: bigint } | undefined;
  completesAt: bigint | undefined;
}

/** The layer's private balances, and what their recipients have asked of them. */
export class Balances {
  readonly pages = new Map<Address, PageModel>();
  /** By page and place in it. */
  readonly #slots = new Map<string, SlotModel>();
  readonly personals = new Map<Address, PersonalModel>();
  readonly wiped = new Map<Address, WipedModel>();

  page(address: Address): PageModel {
    return known(this.pages.get(address), address, 'page');
  }

  personal(address: Address): PersonalModel {
    return known(this.personals.get(address), address, 'personal account');
  }

  wipedOne(address: Address): WipedModel {
    return known(this.wiped.get(address), address, 'wiped personal account');
  }

  /** The account in which is asked for a balance; undefined: there is none. */
  personalOf({ page, slot }: Pick<Holder, 'page' | 'slot'>): PersonalModel | undefined {
    return [...this.personals.values()].find(
      ({ holder }) => holder.page.address === page.address && holder.slot === slot,
    );
  }

  get slots(): SlotModel[] {
    return [...this.#slots.values()];
  }

  /** Those of a token. */
  of(token: Token): SlotModel[] {
    return this.slots.filter(({ holder }) => holder.token === token);
  }

  /** Withdrawals of a token that have their numbers. */
  numbered(token: Token) {
    return [...this.personals.values()]
      .filter(({ holder }) => holder.token === token)
      .flatMap(({ holder, withdrawals }) =>
        withdrawals.flatMap(({ number, amount, wallet }) =>
          number === undefined ? [] : [{ holder, number, amount, wallet }],
        ),
      );
  }

  /** The balance at a place; undefined: it is free. */
  slot(page: Address, slot: number): SlotModel | undefined {
    return this.#slots.get(placeText(page, slot));
  }

  takeSlot(page: Address, holder: Holder, slot: number): SlotModel {
    const taken = { holder: { ...holder, page: this.page(page).page, slot }, amount: 0n, personalNumber: 0 };
    this.#slots.set(placeText(page, slot), taken);
    return taken;
  }

  /** The balance of which a personal account asks. */
  slotOf({ holder: { page, slot, owner } }: PersonalModel): SlotModel {
    const found = this.slot(page.address, slot);
    rule(found !== undefined && sameBytes(found.holder.owner, owner), 'a balance is asked for that is somebody else’s');
    return found;
  }

  /** What of its balance a personal account can still ask for. */
  availableTo(personal: PersonalModel): bigint {
    const left = this.slotOf(personal).amount - waitingOf(personal);
    return left > 0n ? left : 0n;
  }

  /** The layer has begun anew. */
  forget(): void {
    this.pages.clear();
    this.#slots.clear();
    this.personals.clear();
    this.wiped.clear();
  }
}
