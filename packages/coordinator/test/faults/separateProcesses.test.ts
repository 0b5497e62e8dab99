import { expect, it, vi } from 'vitest';
import { openDatabase } from '../../src/store/db/openDatabase.ts';
import { type Message, startChild } from '../support/child.ts';
import { temporaryFolder } from '../support/temporary.ts';

/** Runs a child as the first process it knows of, as in a container; user namespaces, so that nobody needs root for it. */
const ALONE = [
  'unshare',
  '--user',
  '--map-root-user',
  '--pid',
  '--fork',
  '--kill-child',
  '--mount-proc',
  process.execPath,
] as const;
const committed = (least: number) => (message: Message) => Number(message.committed) >= least;

it('refuses the embedded database to a process that knows the other one by no number, as in two containers', async () => {
  const folder = temporaryFolder();
  const first = startChild('writer.ts', [folder], {}, ALONE);
  const { processId } = await first.said(committed(1));
  expect(processId, 'this machine does not let a test have process numbers of its own (unshare)').toBe(1);
  const second = startChild('writer.ts', [folder], {}, ALONE);
  await expect(second.said(committed(1))).rejects.toThrow('ended with 1');
  await first.said(committed(Number(first.messages.at(-1)?.committed) + 5));
  await first.kill();
  const open = () => openDatabase({ databaseUrl: undefined, dataDir: folder, onError: () => {} });
  const afterwards = await vi.waitFor(open, { timeout: 120_000 });
  await afterwards.close();
});
