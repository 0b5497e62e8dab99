import { serveLoopback } from './loopback.ts';

/** What all test files of a run share; whoever asks for it first starts it. */
export type SharedPart = 'POSTGRES' | 'LEDGERS';
/** A part that runs: what whoever asks is told of it, and how it ends. */
type Started = { readonly told: string; stop(): Promise<void> };

/** Names the address where the run's first process tells of the part. */
const variableOf = (part: SharedPart) => `PAYOUTS_TEST_${part}`;

/** Shares a part with the processes that this one starts; returns what ends it, nothing if it is shared already. */
export async function share(part: SharedPart, start: () => Promise<Started>): Promise<() => Promise<void>> {
  const variable = variableOf(part);
  // Each project of a run has the same globalSetup; the first one's is for all.
  if (process.env[variable] !== undefined) return async () => {};
  let started: Promise<Started> | undefined;
  const { url, stop } = await serveLoopback((_, response) => {
    started ??= start();
    return started.then(
      ({ told }) => response.end(told),
      (error: Error) => response.writeHead(500).end(error.message),
    );
  });
  process.env[variable] = url;
  return async () => {
    delete process.env[variable];
    await stop();
    await (await started?.catch(() => undefined))?.stop();
  };
}

/** What is told of a part of this test run. */
export async function askForShared(part: SharedPart): Promise<string> {
  const address = process.env[variableOf(part)];
  if (address === undefined) throw new Error('globalShared.ts is not among the globalSetup of these tests.');
  const answer = await fetch(address);
  const told = await answer.text();
  if (!answer.ok) throw new Error(told);
  return told;
}
