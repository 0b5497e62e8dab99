import type { Page } from 'playwright-core';

type TraceEvent = {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds of processor time. */
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
};

/** Milliseconds of processor time: of the longest task of a page, in which it could answer nobody, and of all. */
export type Tasks = { readonly longest: number; readonly all: number };

/** What a page took to do something. Not by the clock, which counts what else the machine does. */
export async function tasksOf(page: Page, work: () => Promise<void>): Promise<Tasks> {
  const browser = page.context().browser();
  if (browser === null) throw new Error('The page has no browser.');
  await browser.startTracing(page, { categories: ['toplevel', '__metadata'] });
  await work();
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: TraceEvent[] };
  const threadOf = ({ pid, tid }: TraceEvent) => `${pid} ${tid}`;
  const isPage = ({ name, args }: TraceEvent) => name === 'thread_name' && args?.name === 'CrRendererMain';
  const threads = new Set(traceEvents.filter(isPage).map(threadOf));
  const tasks = traceEvents
    .filter((event) => event.ph === 'X' && event.name.endsWith('RunTask') && threads.has(threadOf(event)))
    .map(({ tdur = 0 }) => tdur / 1_000);
  if (tasks.length === 0) throw new Error('The browser recorded no task of the page.');
  return { longest: Math.max(...tasks), all: tasks.reduce((sum, task) => sum + task, 0) };
}
