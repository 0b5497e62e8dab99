import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { Relay } from '../src/faults/relay.ts';

/** Milliseconds in which nothing passes a relay that holds, and by which one is slow. */
const [HELD_MS, SLOW_MS] = [300, 100];

const echo = createServer((from) => from.on('error', () => {}).pipe(from));
let relay: Relay;
let socket: Socket;
beforeAll(async () => {
  echo.listen(0, '127.0.0.1');
  await once(echo, 'listening');
  relay = await Relay.start(`http://127.0.0.1:${(echo.address() as AddressInfo).port}`);
});
afterAll(async () => {
  await relay.stop();
  echo.close();
});
beforeEach(async () => {
  relay.remedy();
  socket = connect(Number(new URL(relay.url).port), '127.0.0.1');
  socket.on('error', () => {});
  await once(socket, 'connect');
});

const echoed = async (text: string) => {
  socket.write(text);
  return String((await once(socket, 'data'))[0]);
};

it('passes everything on in its order once it holds no longer, and ends no connection meanwhile', async () => {
  expect(await echoed('before')).toBe('before');
  relay.hold();
  const answer = echoed('one');
  socket.write(' two');
  expect(await Promise.race([answer, sleep(HELD_MS, 'nothing')])).toBe('nothing');
  relay.remedy();
  let all = await answer;
  while (all !== 'one two') all += String((await once(socket, 'data'))[0]);
});

it('takes longer each way while it is slow', async () => {
  relay.slow(SLOW_MS);
  const began = performance.now();
  expect(await echoed('late')).toBe('late');
  // A timer may be early by what the loop's turn has taken.
  expect(performance.now() - began).toBeGreaterThan(1.8 * SLOW_MS);
});

it('ends every connection when it is cut', async () => {
  const closed = new Promise((resolve) => socket.once('close', resolve));
  await echoed('there');
  relay.cut();
  await closed;
});
