import { balancePages, slotsOf } from '@payouts/cli';
import type { Address } from '@solana/kit';
import type { Employer, World } from './world.ts';

/** The pages of a list's balances, each once. Places are drawn: how many pages there are can't be known beforehand. */
export async function listPages(world: World, { balances, mint }: Employer): Promise<Address[]> {
  const owners = new Set<Address>(balances);
  const pages = await balancePages(world.ledgers, mint);
  const holdsOne = ({ bytes }: (typeof pages)[number]) => [...slotsOf(bytes)].some(({ owner }) => owners.has(owner));
  return pages.filter(holdsOne).map(({ address }) => address);
}
