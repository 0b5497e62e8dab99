import { patientRpc, type Time, timeoutSignal } from '@payouts/client';
import { loadAuthority } from '../config/keys.ts';
import { SettingsError } from '../config/settings.ts';
import type { Settings } from '../config/specs.ts';
import { solText } from '../domain/forecast.ts';
import { openingsLeft } from '../runs/funding.ts';
import { forecastOf } from '../store/forecast.ts';
import { findVault } from '../store/queries/funds.ts';
import { findSchedule } from '../store/queries/schedules.ts';
import type { Db } from '../store/schema.ts';
import { relative } from './format.ts';

const WITHIN_MS = 5_000;

/** How far the vault of a schedule and the execution authority's SOL reach, in sentences; what can't be read is left out. */
export async function fundsOf(database: Db, settings: Settings, address: string, time: Time): Promise<string[]> {
  const schedule = await findSchedule(database, address);
  const vault = schedule === undefined ? undefined : await findVault(database, schedule.vault);
  const forecast = schedule && vault && forecastOf(schedule, vault, BigInt(Math.floor(time.now() / 1_000)));
  const sentences: string[] = [];
  if (vault !== undefined && forecast !== undefined) {
    sentences.push(`The vault ${forecast.sentence} (as of ${relative(Number(vault.seen_at), time.now())}).`);
  }
  const authority = await authorityFunds(settings, time);
  if (authority !== undefined) sentences.push(authority);
  return sentences;
}

async function authorityFunds(settings: Settings, time: Time): Promise<string | undefined> {
  try {
    const { address } = await loadAuthority(settings, time);
    const rpc = patientRpc(settings.baseRpcUrl, time);
    const { value } = await rpc.getBalance(address).send({ abortSignal: timeoutSignal(time, WITHIN_MS) });
    const openings = openingsLeft(value);
    return `The authority's ${solText(value)} last for about ${openings} openings without new recipients.`;
  } catch (error) {
    if (error instanceof SettingsError) return undefined;
    return 'The authority’s balance can’t be read.';
  }
}
