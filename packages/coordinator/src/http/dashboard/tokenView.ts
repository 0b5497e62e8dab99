import type { TokenOfSchedule } from '../../store/queries/runPages.ts';

/** In which token a schedule pays, as the routes show it. */
export function tokenView(tokens: ReadonlyMap<string, TokenOfSchedule>, schedule: string) {
  const { mint = '', symbol = null, decimals = null } = tokens.get(schedule) ?? {};
  return { mint, symbol, decimals };
}
