// Loaded before each test file: notes what services answer to it.
import { isRecording, recordAnswer } from './record.ts';

if (isRecording) {
  const real = globalThis.fetch;
  globalThis.fetch = async (...call) => {
    const response = await real(...call);
    const [target] = call;
    const { pathname } = new URL(target instanceof Request ? target.url : target);
    if (pathname.startsWith('/api/')) {
      const headers = JSON.stringify([...response.headers]);
      recordAnswer(pathname, response.status, headers, await response.clone().text());
    }
    return response;
  };
}
