import type { Claim, Outcome } from '../claim.ts';
import type { Evidence } from '../evidence.ts';

const RUNS = /^\/api\/schedules\/([^/]+)\/executions$/;
const CANDIDATE = /[1-9A-HJ-NP-Za-km-z]{32,44}/g;

type Run = { readonly claims: { readonly paid: number; readonly total: number }; readonly paidAmount: string | null };

/** What the public API and the metrics say while a window is being paid: sums of some of its recipients, or labels that name somebody. */
export function publicAnswers({ answers, metrics, candidates }: Evidence): Outcome {
  const claims: Claim[] = [];
  let runs = 0;
  for (const { path, status, body } of answers) {
    const schedule = status === 200 ? RUNS.exec(path)?.[1] : undefined;
    if (schedule === undefined) continue;
    for (const { claims: counted, paidAmount } of (JSON.parse(body) as { executions: Run[] }).executions) {
      runs += 1;
      if (paidAmount === null || counted.paid === 0 || counted.paid === counted.total) continue;
      const object = `the first ${counted.paid}`;
      claims.push({ kind: 'part-sum', subject: schedule, object, amount: paidAmount, isCertain: false });
    }
  }
  const people = new Set(candidates.addresses);
  const lines = new Set(metrics.flatMap(({ text }) => text.split('\n')));
  for (const line of lines) {
    for (const [subject] of line.matchAll(CANDIDATE)) {
      if (people.has(subject)) claims.push({ kind: 'is-paid', subject, object: '', isCertain: true });
    }
  }
  return { looked: `${runs} views of runs, ${metrics.length} scrapes with ${lines.size} different lines`, claims };
}
