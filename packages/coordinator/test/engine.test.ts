import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { QUEUE_POLL_MS } from '../src/runs/engine.ts';
import { saying, startChild } from './support/child.ts';
import { stagesOf } from './support/leasedService.ts';
import { temporaryFolder } from './support/temporary.ts';

const ready = saying({ ready: true });
const stageOf = (stage: string) => saying({ stage });

/** Runs at work at a time in the child. */
const ROOM = 4;
const SEVERAL_POLLS_MS = 4 * QUEUE_POLL_MS;

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
    await second.said(saying({ stage: 'commit', window: '8' }));
    await second.kill();
    // Each stage probes what is there and does what is missing, so it begins with the first one.
    expect(stagesOf(second, '7')).toEqual(['delegate', 'claim', 'commit']);
  });

  it('runs no more than there is room for, though it takes some ahead, and at a stop leaves those to the next', async () => {
    const folder = temporaryFolder();
    const windows = Array.from({ length: 12 }, (_, window) => String(window));
    const windowsAt = (child: typeof first, stage: string) =>
      child.messages.filter(stageOf(stage)).map(({ window }) => window);
    const first = startChild('service.ts', ['slow'], { DATA_DIR: folder });
    await first.said(ready);
    for (const window of windows) first.process.send(window);
    await first.said(() => windowsAt(first, 'claim').length === ROOM);
    await sleep(SEVERAL_POLLS_MS);
    expect(windowsAt(first, 'delegate')).toHaveLength(ROOM);
    const ended = once(first.process, 'exit');
    first.process.send('stop');
    first.process.send('claim');
    await ended;
    expect(windowsAt(first, 'delegate')).toHaveLength(ROOM);
    expect(windowsAt(first, 'commit')).toEqual([]);

    const second = startChild('service.ts', [], { DATA_DIR: folder });
    await second.said(() => windowsAt(second, 'commit').length === windows.length);
    expect(windowsAt(second, 'commit').toSorted()).toEqual(windows.toSorted());
  });
});
