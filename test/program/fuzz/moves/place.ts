import { PAGE_SLOTS } from '@payouts/client';
import { type BalancePage, balancePageOf, type Holder, type Place, type Token } from '@payouts/testing/litesvm/handles';
import { sameBytes } from '../rule.ts';
import type { Situation } from './move.ts';

/** Pages over which a token's balances are spread, and as many again in their place where somebody has sent lamports ahead. */
const PAGES = 3;

/** A token's pages at whose addresses nothing else is. */
export function pagesFor({ world, model }: Situation, token: Token): BalancePage[] {
  const all = Array.from({ length: 2 * PAGES }, (_, number) => balancePageOf(token, number));
  const isFree = ({ address }: BalancePage) =>
    model.balances.pages.has(address) || world.layer.account(address) === undefined;
  return all.filter(isFree).slice(0, PAGES);
}

/** Places each balance as an honest coordinator does: where it is, or where nobody is. */
export function placing(situation: Situation): (holder: Holder) => Place {
  const given = new Map<string, Holder>();
  return (holder) => {
    const { balances } = situation.model;
    const known = balances.of(holder.token).find((slot) => sameBytes(slot.holder.owner, holder.owner));
    if (known !== undefined) return known.holder;
    const pages = pagesFor(situation, holder.token);
    for (let place = holder.slot; place < pages.length * PAGE_SLOTS; place += 1) {
      const page = pages[place % pages.length] as BalancePage;
      const slot = Math.floor(place / pages.length);
      const other = given.get(`${page.address} ${slot}`);
      const isTaken =
        balances.slot(page.address, slot) !== undefined || (other !== undefined && other.owner !== holder.owner);
      if (isTaken) continue;
      given.set(`${page.address} ${slot}`, holder);
      return { page, slot };
    }
    return holder;
  };
}

/** Any place, which mostly is wrong; now and then one in a page of another token. */
export function anyPlace({ random, cast }: Situation, token: Token): Place {
  const of = random.chance(0.9) ? token : random.pick(cast.tokens);
  return { page: balancePageOf(of, random.below(PAGES)), slot: random.below(12) };
}
