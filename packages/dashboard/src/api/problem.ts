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

/** An error that a person can do something about: what happened, and the mend. */
export type Trouble = { readonly title: string; readonly remedy: string; readonly code: string };

/** What an error means to somebody who looks at the page. */
export function troubleOf(error: unknown): Trouble {
  const { status, code, detail } =
    error instanceof ApiProblem ? error : new ApiProblem(-1, 'page-error', String(error));
  const said = { code, title: detail };
  if (status === 0) {
    return {
      code,
      title: 'The coordinator does not answer.',
      remedy: 'Check that it runs and that this machine reaches it. The page tries again by itself.',
    };
  }
  if (status === 503) {
    return {
      code,
      title: detail,
      remedy:
        'The coordinator runs, but a part that it needs does not answer: /api/health says which. The page tries again by itself.',
    };
  }
  if (code === 'delegation-invalid' || code === 'signature-expired' || code === 'signature-invalid') {
    return { ...said, remedy: 'Sign in again. If it stays so, compare this machine’s clock with the coordinator’s.' };
  }
  if (status === 401) return { ...said, remedy: 'Sign in with the wallet that may see this.' };
  if (status === 403) {
    return { ...said, remedy: 'Sign in with another wallet, or have this one named in the setting OPERATORS.' };
  }
  if (status === 429) return { ...said, remedy: 'Wait a moment: the page asks again by itself.' };
  if (status === 404) return { ...said, remedy: 'Check the address, or look at another coordinator.' };
  if (status === 400) return { ...said, remedy: 'Correct what was entered, or go back to the overview.' };
  return { ...said, remedy: 'Reload the page. If it stays so, tell whoever runs the coordinator the code.' };
}
