import { chosenTreasury } from '../employer/chosenTreasury.ts';

/** An answer that is no success: what is wrong, by its stable code, in the coordinator's own words. Status 0: no answer at all. */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem';
  constructor(
    readonly status: number,
    readonly code: string,
    readonly detail: string,
  ) {
    super(detail);
  }
}

export const unreachable = (): ApiProblem =>
  new ApiProblem(0, 'coordinator-unavailable', 'The coordinator does not answer.');

export const isUnreachable = (error: unknown): boolean => error instanceof ApiProblem && error.status === 0;

/** The coordinator knows nothing of what was asked for. */
export const isNotFound = (error: unknown): boolean => error instanceof ApiProblem && error.status === 404;

/** Whoever asked may not read or do it. */
export const isNotPermitted = (error: unknown): boolean =>
  error instanceof ApiProblem && error.code === 'not-permitted';

/** An error that a person can do something about: what happened, and the remedy. */
export type Trouble = { readonly title: string; readonly remedy: string; readonly code: string };

const SIGN_IN_AGAIN = ['delegation-invalid', 'signature-expired', 'signature-invalid'];

/** The remedy for what an answer's status says; 0: there was none. */
const REMEDIES: Readonly<Record<number, string>> = {
  0: 'Check that it runs and that this machine reaches it. The page tries again by itself.',
  503: 'The coordinator runs, but a part that it needs does not answer: /api/health says which. The page tries again by itself.',
  401: 'Sign in with the wallet that may see this.',
  403: 'Sign in with another wallet, or have this one named in the setting OPERATORS.',
  429: 'Wait a moment: the page asks again by itself.',
  404: 'Check the address, or look at another coordinator.',
  400: 'Correct what was entered, or go back to the overview.',
};

/** What is said of a treasury's member who asks the coordinator. */
const READS_FOR_TREASURY: Omit<Trouble, 'code'> = {
  title: 'A treasury signs no requests, and your wallet may not do this for it.',
  remedy:
    'Under Treasury, have its members make your wallet a viewer, which reads, or a clerk, which sets webhooks and lets auditors read, too.',
};

/** What an error means to somebody who looks at the page. */
export function troubleOf(error: unknown): Trouble {
  if (isSpeaking(error)) return { code: error.code, title: error.message, remedy: '' };
  const { status, code, detail } =
    error instanceof ApiProblem ? error : new ApiProblem(-1, 'page-error', String(error));
  if (code === 'not-permitted' && chosenTreasury.value !== undefined) return { code, ...READS_FOR_TREASURY };
  const remedy = SIGN_IN_AGAIN.includes(code)
    ? 'Sign in again. If it stays so, compare this machine’s clock with the coordinator’s.'
    : (REMEDIES[status] ?? 'Reload the page. If it stays so, tell whoever runs the coordinator the code.');
  return { code, title: detail, remedy };
}

/** Errors of the employer's package and the client have a stable code, and say what to do themselves. */
const isSpeaking = (error: unknown): error is Error & { readonly code: string } =>
  error instanceof Error && !(error instanceof ApiProblem) && 'code' in error && typeof error.code === 'string';
