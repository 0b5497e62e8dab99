import { Cluster } from '@payouts/testing/cluster';
import { followEvents, type StreamedEvent } from '@payouts/testing/eventStream';
import { Failpoints } from '@payouts/testing/failpoints';
import { readMetrics } from '@payouts/testing/metrics';
import { paidOddly, variedPayees } from '@payouts/testing/wallets';
import { until, World } from '@payouts/testing/world';
import { beforeAll, expect, it } from 'vitest';

let world: World;
let cluster: Cluster;
const failpoints = new Failpoints();
beforeAll(async () => {
  world = await World.shared();
  const settings = { DASHBOARD_PUBLIC: 'true', SHUTDOWN_GRACE_MS: '1000' };
  cluster = await Cluster.start(world, ['one', 'two'], settings, failpoints);
});

const isRun = ({ event }: StreamedEvent) => event === 'run';
const STAGES = ['queued', 'running delegate', 'running claim', 'running commit', 'settled'];

it('a run is shown live from due to settled, in order, by every coordinator, and nobody who comes back misses anything', async () => {
  const employer = await world.employer(await paidOddly(5), { executions: 1 });
  const urls = ['one', 'two'].map((name) => cluster.of(name).url);
  const streams = await Promise.all(urls.map((url) => followEvents(url)));
  await until(async () => streams.every(({ events }) => events.length > 0), 'the streams to begin');
  for (const { events } of streams) expect(events[0]?.event).toBe('ready');
  await cluster.register(employer);
  await cluster.settled(employer, 0n);
  const isOver = ({ events }: { events: readonly StreamedEvent[] }) =>
    events.some(({ event, data }) => event === 'schedule' && data.status === 'completed') &&
    events.some(({ data }) => data.state === 'settled');
  await until(async () => streams.every(isOver), 'the end to be told');
  const [first, second] = streams.map(({ events }) => events.slice(1)) as [StreamedEvent[], StreamedEvent[]];
  expect(second).toEqual(first);

  const steps = first.filter(isRun).map(({ data }) => [data.state, data.stage].filter(Boolean).join(' '));
  expect(steps.filter((step, at) => step !== steps[at - 1])).toEqual(STAGES);
  expect(first.filter(isRun).at(-1)?.data).toEqual({
    schedulePda: employer.schedule,
    window: '0',
    state: 'settled',
    stage: null,
    claims: { paid: 5, total: 5 },
    errorCode: null,
    at: expect.any(Number),
  });
  const ids = first.map(({ id }) => BigInt(id));
  expect(ids).toEqual([...ids].sort((one, other) => Number(one - other)));
  const text = JSON.stringify(first);
  for (const { recipient, amount } of employer.list.recipients) {
    expect(text).not.toContain(recipient);
    expect(text).not.toContain(String(amount));
  }

  // From every place, at the coordinator that had not been asked.
  for (const at of [0, 3, first.length - 1]) {
    const again = await followEvents(urls[at % 2] as string, first[at]?.id, `?schedule=${employer.schedule}`);
    const rest = first.slice(at + 1).filter(({ data }) => data.schedulePda === employer.schedule);
    await until(async () => again.events.length > rest.length, 'what was missed');
    expect(again.events.slice(1)).toEqual(rest);
    again.close();
  }
  for (const { close } of streams) close();
});

it('a stream ends in order when its coordinator stops, and goes on at another where it was', async () => {
  const stopping = await followEvents(cluster.of('one').url);
  await until(async () => stopping.events[0], 'the stream to begin');
  const employer = await world.employer(await variedPayees(3, 1_000n), { executions: 1 });
  // The run ends when the first stream has.
  const standing = failpoints.hold('claim:before-send', employer);
  await cluster.register(employer);
  await until(async () => stopping.events.find(isRun), 'the run to be told');
  const held = await standing;
  expect(await cluster.stopOne('one')).toBe(0);
  await stopping.ended;
  held.goOn();
  const last = stopping.events.at(-1)?.id as string;
  const going = await followEvents(cluster.of('two').url, last);
  await until(async () => going.events.find(({ data }) => data.state === 'settled'), 'the run to settle', 90_000);
  const states = [...stopping.events, ...going.events].filter(isRun).map(({ data }) => String(data.state));
  expect(states[0]).toBe('queued');
  expect(going.events[0]?.event).toBe('ready');
  const ids = [...stopping.events, ...going.events.slice(1)].map(({ id }) => id);
  expect(new Set(ids.slice(1)).size).toBe(ids.length - 1);
  going.close();
});

it('is refused to those who are too many, and there is room again when somebody leaves', async () => {
  await cluster.startOne('one', { EVENT_STREAMS: '1' });
  const { url } = cluster.of('one');
  const only = await followEvents(url);
  const metrics = () => readMetrics(url);
  expect(await metrics()).toContain('service_event_streams 1');
  const further = await fetch(`${url}/api/events`);
  expect([further.status, further.headers.get('retry-after')]).toEqual([429, '10']);
  only.close();
  await until(async () => (await metrics()).includes('service_event_streams 0'), 'the stream to be gone');
});
