import type { Time } from '@payouts/client/browser';
import type { SignText } from '@payouts/pages/session/session';
import { proxy, releaseProxy, wrap } from 'comlink';
import { patiently } from '../api/patiently.ts';
import { privateLines } from '../api/request.ts';
import type { ArchiveWish, MadeArchive, payslipArchive } from './payslipArchive.ts';

type How = {
  readonly time: Time;
  readonly abort: AbortSignal;
  readonly onWritten: (written: number) => void;
  readonly sign: SignText;
};

/** Makes an archive of payslips in a thread of its own, which asks for lines when it has done those before. Throws `ApiProblem`. */
export async function makeArchive(schedule: string, wish: ArchiveWish, how: How): Promise<MadeArchive> {
  const { time, abort, onWritten } = how;
  const worker = new Worker(new URL('./payslipWorker.ts', import.meta.url), { type: 'module' });
  const remote = wrap<typeof payslipArchive>(worker);
  // A thread gives back an error's text alone.
  let failure: unknown;
  const failed = (error: unknown): never => {
    failure = error;
    throw error;
  };
  const sign: SignText = (text) => how.sign(text).catch(failed);
  const open = new Map<string, AsyncGenerator<string>>();
  const next = async (window: string): Promise<string | undefined> => {
    try {
      const path = `/api/schedules/${schedule}/payslips/${window}`;
      const lines = open.get(window) ?? (await patiently(time, abort, () => privateLines(path, abort)));
      open.set(window, lines);
      const { done, value } = await lines.next();
      return done ? undefined : value;
    } catch (error) {
      return failed(error);
    }
  };
  const stopped = new Promise<never>((_, reject) => {
    abort.addEventListener('abort', () => reject(abort.reason), { once: true });
  });
  try {
    return await Promise.race([remote(wish, proxy(next), proxy(onWritten), proxy(sign)), stopped]);
  } catch (error) {
    throw failure ?? error;
  } finally {
    remote[releaseProxy]();
    worker.terminate();
  }
}
