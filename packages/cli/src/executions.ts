import { publicRequest } from './requests.ts';

/** One window's run, as GET /api/schedules/:schedulePda/executions shows it: nothing private. Times are unix milliseconds. */
export interface WindowRun {
  readonly window: string;
  readonly state: string;
  readonly stage: string | null;
  readonly claims: { readonly paid: number; readonly total: number };
  /** Base units; null until it is settled. */
  readonly paidAmount: string | null;
  readonly unpaid: { readonly count: number; readonly reasons: Readonly<Record<string, number>> };
  readonly errorCode: string | null;
  readonly errorDetail: string | null;
  readonly createdAt: number;
  readonly finishedAt: number | null;
  /** Recorded from the base ledger's history, after the coordinator's database had lost it. */
  readonly rebuilt: boolean;
  readonly attempts: readonly {
    readonly stage: string;
    readonly number: number;
    readonly outcome: string | null;
    readonly errorCode: string | null;
    readonly startedAt: number;
    readonly endedAt: number | null;
    readonly signatures: readonly string[];
    /** SHA-256 of the quote by which the execution layer was trusted. */
    readonly quoteHash: string | null;
  }[];
}

/** Whether a window's settlement is final on the base ledger, with everybody paid or its time over. */
export const isSettled = (run: WindowRun): boolean => run.state === 'settled';

/** The newest runs of a schedule, newest first. Throws `RequestRefused`. */
export async function readExecutions(apiUrl: string, schedule: string, limit = 5): Promise<WindowRun[]> {
  const response = await publicRequest(apiUrl, `/api/schedules/${schedule}/executions?limit=${limit}`);
  return ((await response.json()) as { executions: WindowRun[] }).executions;
}
