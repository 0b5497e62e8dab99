import { ApiFailed } from '@payouts/client';
import { openSealed, signatureFor } from '@payouts/pages/session/session';

/** Reads what only whoever is signed in may see, as text. Throws `ApiFailed`. */
export async function readOwn(path: string): Promise<string> {
  const headers = await signatureFor('GET', path);
  const response = await fetch(path, { headers, cache: 'no-store', credentials: 'omit' }).catch((cause: unknown) => {
    throw new ApiFailed('The coordinator does not answer.', { code: 'unreachable', cause });
  });
  const text = await response.text();
  if (response.ok) {
    const isSealed = response.headers.get('content-type')?.startsWith('application/jose') === true;
    return isSealed ? openSealed(text) : text;
  }
  const { code = `http-${response.status}`, detail = `The coordinator answered ${response.status}.` } = problemIn(text);
  throw new ApiFailed(detail, { code, status: response.status });
}

/** A proxy in front answers in its own words. */
function problemIn(text: string): { readonly code?: string; readonly detail?: string } {
  try {
    return JSON.parse(text) as { code?: string; detail?: string };
  } catch {
    return {};
  }
}
