import { privatePages } from '../../api/request.ts';
import { type Resource, useResource } from '../../api/resource.ts';
import type { Schedule } from '../../api/types.ts';

type Page = { readonly schedules: readonly Schedule[]; readonly nextCursor: string | null };

/** All of them, page after page. */
async function readOwn(abort: AbortSignal): Promise<readonly Schedule[]> {
  const all: Schedule[] = [];
  for await (const page of privatePages<Page>('/api/employers/me/schedules', {}, abort)) all.push(...page.schedules);
  return all;
}

/** The payrolls that a wallet owns and the coordinator knows. */
export const useOwnPayrolls = (wallet: string): Resource<readonly Schedule[]> => useResource(`own ${wallet}`, readOwn);
