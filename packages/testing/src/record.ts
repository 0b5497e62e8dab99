// What a whole test run let out and what it had to keep, for test/privacy/scan, and what its pages showed to axe, for scripts/judged.mjs:
// nothing is recorded unless PAYOUTS_TEST_RECORD names a folder.
import { randomUUID } from 'node:crypto';
import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

/** Where something can be read that is no secret's place. */
export const RECORD_KINDS = ['log', 'metrics', 'answer', 'database'] as const;
export type RecordKind = (typeof RECORD_KINDS)[number];

const folder = process.env.PAYOUTS_TEST_RECORD;
export const isRecording = folder !== undefined && folder !== '';
/** Each process writes to files of its own. */
const own = randomUUID();

function append(part: string, content: Uint8Array | string): void {
  if (!isRecording || folder === undefined) return;
  mkdirSync(join(folder, part), { recursive: true });
  appendFileSync(join(folder, part, own), content);
}

/** Notes what somebody without any right can read. */
export function recordPublic(kind: RecordKind, content: Uint8Array | string): void {
  append(kind, content);
  append(kind, '\n');
}

/** Notes secrets, one a line: what it is, a tab, and hexadecimal digits or an amount. */
export function recordSecrets(secrets: readonly (readonly [what: string, text: string])[]): void {
  append('secrets', secrets.map(([what, text]) => `${what}\t${text}\n`).join(''));
}

/** Notes the titles of a page that axe has judged, one a line. Only scripts/judged.mjs reads them: they may be private, as pages are. */
export const recordJudged = (titles: string): void => append('judged', `${titles}\n`);

/** Whether an answer of the API may be read by everybody: all but what private reads return. */
const isPublicAnswer = (path: string, status: number): boolean =>
  status >= 400 ||
  !/^\/api\/(schedules\/[^/]+\/)?(recipients|payslips|grants|webhooks|notices|auditors|address-changes)\b/.test(path);

/** Notes an answer of the API, as far as it is public. */
export function recordAnswer(path: string, status: number, headers: string, body: string): void {
  if (!path.startsWith('/api/') || path.startsWith('/api/docs') || !isPublicAnswer(path, status)) return;
  recordPublic(path === '/api/metrics' && status === 200 ? 'metrics' : 'answer', `${status}\n${headers}\n${body}`);
}
