import { isSignedIn, openSealed, signatureFor } from '@payouts/pages/session/session';
import { ApiProblem, unreachable } from './problem.ts';

/** Set once the coordinator has said that its pages need a signature: then every request is signed. */
let needsSignature = false;

/** Whether requests to the public routes are to be signed, because this coordinator shows nothing to strangers. */
export const signsEverything = (): boolean => needsSignature && isSignedIn.value;

/** Reads what may be public. Throws `ApiProblem`. */
export async function read<T>(path: string, abort?: AbortSignal): Promise<T> {
  try {
    return await send<T>('GET', path, { isSigned: signsEverything(), abort });
  } catch (error) {
    const isPrivate = error instanceof ApiProblem && error.status === 401 && !needsSignature;
    if (!isPrivate) throw error;
    needsSignature = true;
    if (!isSignedIn.value) throw error;
    return send<T>('GET', path, { isSigned: true, abort });
  }
}

/** Reads what only the signer may see. Throws `ApiProblem`. */
export const readPrivate = <T>(path: string, abort?: AbortSignal): Promise<T> =>
  send<T>('GET', path, { isSigned: true, abort });

/** Reads what only the signer may see, page after page. Throws `ApiProblem`. */
export async function* privatePages<T extends { readonly nextCursor: string | null }>(
  path: string,
  query: Readonly<Record<string, string>>,
  abort: AbortSignal,
): AsyncGenerator<T> {
  let cursor: string | null | undefined;
  do {
    const asked = new URLSearchParams({ ...query, ...(cursor && { cursor }) }).toString();
    const page: T = await readPrivate(asked === '' ? path : `${path}?${asked}`, abort);
    yield page;
    cursor = page.nextCursor;
  } while (cursor !== null);
}

/** Opens what only the signer may see and is too long for one answer: lines as they arrive, each whole. Throws `ApiProblem`, and its lines do. */
export async function privateLines(path: string, abort: AbortSignal): Promise<AsyncGenerator<string>> {
  const response = await answered(path, { method: 'GET', headers: await signatureFor('GET', path), signal: abort });
  const isSealed = response.headers.get('content-type')?.startsWith('application/x-jose-lines') === true;
  const lines = linesOf((response.body ?? new Blob().stream()).pipeThrough(new TextDecoderStream()), abort);
  return isSealed ? opened(lines) : lines;
}

async function* opened(lines: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of lines) yield await openSealed(line);
}

const cutOff = (): ApiProblem => new ApiProblem(0, 'answer-cut-off', 'The coordinator broke off its answer.');

/** Lines of a text; its last one needs no end. */
async function* linesOf(text: ReadableStream<string>, abort: AbortSignal): AsyncGenerator<string> {
  const reader = text.getReader();
  let begun = '';
  for (;;) {
    const { done, value } = await reader.read().catch((cause: unknown) => {
      throw abort.aborted ? cause : cutOff();
    });
    if (done) break;
    const lines = (begun + value).split('\n');
    begun = lines.pop() ?? '';
    yield* lines;
  }
  if (begun !== '') yield begun;
}

/** Has the coordinator do something, in the operator's name. Throws `ApiProblem`. */
export const act = <T>(path: string, body?: unknown): Promise<T> =>
  send<T>('POST', path, { isSigned: true, body: body === undefined ? undefined : JSON.stringify(body) });

/** Gives the coordinator a sealed list: that the employer has promised it is what the ledger says. Throws `ApiProblem`. */
export async function registerList(list: Blob): Promise<void> {
  const headers = { 'content-type': list.type };
  await answered('/api/schedules', { method: 'POST', headers, body: list });
}

/** Sends what was signed elsewhere, such as by a wallet itself. Throws `ApiProblem`. */
export const sendAs = <T>(
  method: 'POST' | 'DELETE',
  path: string,
  headers: Readonly<Record<string, string>>,
  body?: string,
): Promise<T> => receive<T>(path, { method, headers, ...(body !== undefined && { body }) });

type Options = {
  readonly isSigned: boolean;
  readonly body?: string | undefined;
  readonly abort?: AbortSignal | undefined;
};

async function send<T>(method: 'GET' | 'POST', path: string, { isSigned, body, abort }: Options): Promise<T> {
  const headers = isSigned ? await signatureFor(method, path, body) : {};
  const request: RequestInit = { method, headers };
  if (body !== undefined) request.body = body;
  if (abort !== undefined) request.signal = abort;
  return receive<T>(path, request);
}

/** What the coordinator answers that is no problem. Throws `ApiProblem`. */
async function answered(path: string, request: RequestInit): Promise<Response> {
  const response = await fetch(path, { ...request, cache: 'no-store', credentials: 'omit' }).catch((error: unknown) => {
    throw request.signal?.aborted ? error : unreachable();
  });
  if (!response.ok) throw await problemOf(response);
  return response;
}

async function receive<T>(path: string, request: RequestInit): Promise<T> {
  const response = await answered(path, request);
  const isSealed = response.headers.get('content-type')?.startsWith('application/jose') === true;
  return (isSealed ? JSON.parse(await openSealed(await response.text())) : await response.json()) as T;
}

async function problemOf(response: Response): Promise<ApiProblem> {
  const said = (await response.json().catch(() => ({}))) as { code?: string; title?: string; detail?: string };
  const detail = said.detail ?? said.title ?? `The coordinator answered ${response.status}.`;
  // A proxy in front answers in its own words, without a code.
  return new ApiProblem(response.status, said.code ?? `http-${response.status}`, detail);
}
