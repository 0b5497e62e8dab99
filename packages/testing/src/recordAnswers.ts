// Loaded before each test file: notes what services answer to it.
import { isRecording, recordAnswer } from './record.ts';

const RECORDS = Symbol.for('payouts.recordAnswers');

// Files that share a process load this once each.
if (isRecording && !(RECORDS in globalThis.fetch)) {
  const real = globalThis.fetch;
  const recording: typeof fetch = async (...call) => {
    const response = await real(...call);
    const [target] = call;
    const { pathname } = new URL(target instanceof Request ? target.url : target);
    if (pathname.startsWith('/api/')) {
      const headers = JSON.stringify([...response.headers]);
      const note = (body: string) => recordAnswer(pathname, response.status, headers, body);
      // A stream goes on for as long as somebody listens.
      if (response.headers.get('content-type')?.startsWith('text/event-stream'))
        void noteStream(response.clone(), note);
      else note(await response.clone().text());
    }
    return response;
  };
  globalThis.fetch = Object.assign(recording, { [RECORDS]: true });
}

async function noteStream({ body }: Response, note: (text: string) => void): Promise<void> {
  const decoder = new TextDecoder();
  try {
    for await (const bytes of body as unknown as AsyncIterable<Uint8Array>)
      note(decoder.decode(bytes, { stream: true }));
  } catch {
    // Whoever listened has left.
  }
}
