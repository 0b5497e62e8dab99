// Loaded before each test file: notes what services answer to it.
import { isRecording, recordAnswer } from './record.ts';
import { wrapFetch } from './wrapFetch.ts';

if (isRecording) wrapFetch('record', record);

function record(real: typeof fetch): typeof fetch {
  return async (...call) => {
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
