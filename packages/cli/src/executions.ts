/** One window's run, as GET /api/schedules/:schedulePda/executions shows it: nothing private. */
export interface Execution {
  readonly window: string;
  readonly state: string;
  readonly claims: { readonly paid: number; readonly total: number };
  readonly paidAmount: string | null;
  readonly attempts: readonly {
    readonly stage: string;
    readonly number: number;
    readonly outcome: string | null;
    readonly errorCode: string | null;
    readonly startedAt: number;
    readonly endedAt: number | null;
  }[];
}

/** The newest runs of a schedule, newest first. */
export async function readExecutions(apiUrl: string, schedule: string, limit = 5): Promise<Execution[]> {
  const response = await fetch(`${apiUrl}/api/schedules/${schedule}/executions?limit=${limit}`);
  if (!response.ok) throw new Error(`The coordinator answered ${response.status} to a read of the executions.`);
  return ((await response.json()) as { executions: Execution[] }).executions;
}
