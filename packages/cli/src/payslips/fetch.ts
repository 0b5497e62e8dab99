import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { type Payslip, payslipFromJson } from '@payouts/client';
import type { Address } from '@solana/kit';
import { type PrivateApi, privateJson, privateRequest } from '../requests.ts';

/** What a window came to for one recipient: payslips, and entries that it did not pay with the reason. */
export type OwnPayslips = {
  readonly payslips: readonly Payslip[];
  readonly unpaid: readonly { readonly index: number; readonly amount: bigint; readonly reason: 'held' | 'unpaid' }[];
};

/** Reads the payslips of one recipient of a settled window; `me`: of whoever signs. Throws `RequestRefused`. */
export async function fetchPayslips(
  api: PrivateApi,
  schedule: Address,
  window: bigint,
  recipient: Address | 'me' = 'me',
): Promise<OwnPayslips> {
  const path = `/api/schedules/${schedule}/recipients/${recipient}/payslips/${window}`;
  const { payslips, unpaid } = await privateJson<{
    payslips: unknown[];
    unpaid: { index: number; amount: string; reason: 'held' | 'unpaid' }[];
  }>(api, path);
  return {
    payslips: payslips.map(payslipFromJson),
    unpaid: unpaid.map(({ amount, ...rest }) => ({ ...rest, amount: BigInt(amount) })),
  };
}

/** All payslips of a settled window, for its employer, one after the other as they arrive. Throws `RequestRefused`. */
export async function* exportedPayslips(api: PrivateApi, schedule: Address, window: bigint): AsyncGenerator<Payslip> {
  const { body } = await privateRequest(api, `/api/schedules/${schedule}/payslips/${window}`);
  const input = Readable.fromWeb(body as ReadableStream);
  const failed = new Promise<never>((_, reject) => input.once('error', reject));
  failed.catch(() => {});
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line !== '') yield payslipFromJson(JSON.parse(line));
  }
  // A cut-off answer ends the lines as well.
  if (input.errored) await failed;
}
