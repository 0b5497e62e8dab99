import { publicRequest, RequestRefused, unanswered } from './requests.ts';

/** What the coordinator's stream tells of a schedule's runs: a change, or that everything is to be read anew. */
export type RunChange = {
  readonly window: string;
  readonly state: string;
  readonly stage: string | null;
  readonly claims: { readonly paid: number; readonly total: number };
  readonly errorCode: string | null;
};

/**
 * Follows the stream of events about a schedule's runs; `undefined`: read them anew. Ends when the stream does, and leaves it when nobody
 * asks for more. Throws `RequestRefused` when the coordinator refuses to tell, or breaks off.
 */
export async function* followRuns(apiUrl: string, schedule: string): AsyncGenerator<RunChange | undefined> {
  const leaving = new AbortController();
  try {
    const path = `/api/events?schedule=${encodeURIComponent(schedule)}`;
    const { body } = await publicRequest(apiUrl, path, { signal: leaving.signal });
    const decoder = new TextDecoder();
    let rest = '';
    for await (const bytes of (body ?? []) as AsyncIterable<Uint8Array>) {
      const blocks = (rest + decoder.decode(bytes, { stream: true })).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) {
        const [, event] = /^event: (.*)$/m.exec(block) ?? [];
        const [, data = '{}'] = /^data: (.*)$/m.exec(block) ?? [];
        if (event === 'run') yield JSON.parse(data) as RunChange;
        else if (event === 'ready' || event === 'reset') yield undefined;
      }
    }
  } catch (error) {
    throw error instanceof RequestRefused ? error : unanswered(apiUrl);
  } finally {
    leaving.abort();
  }
}
