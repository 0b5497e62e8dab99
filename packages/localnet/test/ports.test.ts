import { expect, test } from 'vitest';
import * as ports from '../src/ports.ts';

/** The same program loaded again begins to look where this one does, as a process with another number may. */
const again: typeof ports = await import(
  /* @vite-ignore */ `${new URL('../src/ports.ts', import.meta.url).href}?again`
);

test('no two ports that are given out are alike, whoever asks for them, though nobody listens on them', async () => {
  const given: number[] = [];
  for (const { freePorts } of [ports, again]) {
    for (let turn = 0; turn < 30; turn++) {
      const count = 1 + (turn % 5);
      const first = await freePorts(count);
      for (let place = 0; place < count; place++) given.push(first + place);
    }
  }
  expect(new Set(given).size).toBe(given.length);
});
