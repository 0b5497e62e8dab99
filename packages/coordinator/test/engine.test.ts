import { describe, expect, it } from 'vitest';
import { startChild } from './support/child.ts';
import { temporaryFolder } from './support/temporary.ts';

const ready = (message: unknown) => (message as { ready?: boolean }).ready === true;
const stageOf = (stage: string) => (message: unknown) => (message as { stage?: string }).stage === stage;

describe('the engine', () => {
  it('runs a window once for ever, and goes on after kill -9', async () => {
    const folder = temporaryFolder();
    const first = startChild('service.ts', ['slow'], { DATA_DIR: folder });
    await first.said(ready);
    first.process.send('7');
    first.process.send('7');
    await first.said(stageOf('claim'));
    await first.kill();
    expect(first.messages.filter(stageOf('delegate'))).toHaveLength(1);

    const second = startChild('service.ts', [], { DATA_DIR: folder });
    await second.said(stageOf('commit'));
    second.process.send('7');
    second.process.send('8');
    await second.said((message) => stageOf('commit')(message) && (message as { window: string }).window === '8');
    await second.kill();
    const stages = second.messages
      .filter((message) => (message as { window?: string }).window === '7')
      .flatMap((message) => (message as { stage?: string }).stage ?? []);
    // Each stage probes what is there and does what is missing, so it begins with the first one.
    expect(stages).toEqual(['delegate', 'claim', 'commit']);
  }, 90_000);
});
