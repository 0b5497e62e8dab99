import { privatePages } from '../../api/request.ts';
import { type Resource, useResource } from '../../api/resource.ts';
import type { Schedule } from '../../api/types.ts';
import { chosenTreasury } from '../../employer/chosenTreasury.ts';

type Page = { readonly schedules: readonly Schedule[]; readonly nextCursor: string | null };

/** All of them, page after page; of an employer for whom the signer reads, where one is given. */
async function readOwn(abort: AbortSignal, employer: string | undefined): Promise<readonly Schedule[]> {
  const all: Schedule[] = [];
  const query = employer === undefined ? {} : { employer };
  const pages = privatePages<Page>('/api/employers/me/schedules', query, abort);
  for await (const page of pages) all.push(...page.schedules);
  return all;
}

/** The payrolls that a wallet, or the treasury that it acts for, owns and the coordinator knows. */
export function useOwnPayrolls(wallet: string): Resource<readonly Schedule[]> {
  const employer = chosenTreasury.value?.employer;
  return useResource(`own ${wallet} ${employer}`, (abort) => readOwn(abort, employer));
}
