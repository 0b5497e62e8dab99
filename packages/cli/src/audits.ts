import { patientRpc, type Time } from '@payouts/client';
import {
  type AuditGrant,
  type GrantWish,
  grantBody,
  grantPath,
  grantsPath,
  lookOnLedger,
  type StatementLedger,
  totalOnLedger,
} from '@payouts/statements';
import type { Address } from '@solana/kit';
import { type PrivateApi, privateJson } from './requests.ts';

/** Grants an auditor the totals of a schedule's windows, or what named recipients may read, until a time. Throws `RequestRefused`. */
export const grantAudit = (api: PrivateApi, schedule: Address, wish: GrantWish): Promise<AuditGrant> =>
  privateJson(api, grantsPath(schedule), { method: 'POST', body: grantBody(wish) });

/** Ends a grant at once. Throws `RequestRefused`. */
export const revokeAudit = (api: PrivateApi, schedule: Address, id: string): Promise<AuditGrant> =>
  privateJson(api, grantPath(schedule, id), { method: 'DELETE' });

/** The base ledger at a node that keeps its history, or at several by commas. Its answers throw kit's errors when none can be reached. */
export function historyOf(rpcUrl: string, time: Time): StatementLedger {
  const rpc = patientRpc(rpcUrl, time);
  return {
    window: (settled) => lookOnLedger(settled, rpc),
    total: (schedule) => totalOnLedger(schedule, rpc),
  };
}
