import { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { scheduleAddress } from '../../domain/address.ts';
import { Problem } from '../../domain/problems.ts';
import type { Metrics } from '../../platform/metrics.ts';
import type { EventFeed } from '../../webhooks/events/feed.ts';
import { beginningText, eventsText } from '../../webhooks/events/text.ts';
import { LIMIT_FIELDS, text } from '../answers.ts';
import { checkViewer, type OperatorsInput, VIEWED, viewProblems } from '../dashboard/access.ts';
import type { Api } from '../httpServer.ts';
import { ClientShares } from '../limits/clientShares.ts';
import { Closed } from '../schemaParts.ts';
import { ScheduleParams } from '../schemas.ts';

/** Milliseconds without an event until something is sent all the same, so that nothing in between takes the connection for dead. */
const HEARTBEAT_MS = 15_000;
/** Milliseconds after which a stream ends: who follows asks again, and whether they may is looked at again. */
const LONGEST_MS = 3_600_000;
/** Text that a stream holds for a reader who is slow, in pages. */
const PAGES_AHEAD = 1;
const RETRY_AFTER_SECONDS = 10;
/** Ids are 64 bits. */
const ID = /^(0|[1-9][0-9]{0,17})$/;

const EXAMPLE = [
  'event: run',
  'id: 4711',
  'data: {"schedulePda":"7YttLkHDoNj9wyDur5pM1ejNaAvT9X4eqaYcHQqtj2G5","window":"3","state":"running","stage":"claim",' +
    '"claims":{"paid":120,"total":500},"errorCode":null,"at":1796025604902}',
  '',
  '',
].join('\n');

const { schedulePda } = ScheduleParams.properties;

const schema = {
  ...VIEWED,
  operationId: 'followEvents',
  summary: 'Changes of runs and schedules as they happen',
  description:
    'Server-sent events: `ready` first, then `run`, `schedule` and `condition`, of all processes on the database, in order. `Last-Event-ID` goes on ' +
    'behind that event; `reset` says that it is too long ago: read everything again. A comment every 15 s while nothing happens. For ' +
    'operators, or for everybody if DASHBOARD_PUBLIC is true.',
  headers: Type.Object({
    ...VIEWED.headers.properties,
    'last-event-id': Type.Optional(
      Type.String({ description: 'The id of the last event that was received', examples: ['4711'] }),
    ),
  }),
  querystring: Closed({ schedule: Type.Optional({ ...schedulePda, description: 'Only what is about this schedule' }) }),
  response: {
    ...viewProblems('invalid-address', 'invalid-event-id', 'streams-limited'),
    200: text('The events, until the connection ends', 'text/event-stream', EXAMPLE, LIMIT_FIELDS),
  },
};

export type FollowInput = OperatorsInput & {
  readonly feed: EventFeed;
  readonly metrics: Metrics;
  /** Streams at a time in this process. */
  readonly mostStreams: number;
  /** Of these, streams that a client may have. */
  readonly streamsPerClient: number;
};

/** GET /api/events */
export function followEventsRoute(app: Api, input: FollowInput): void {
  const { feed, metrics, mostStreams, time } = input;
  const shares = new ClientShares(input.streamsPerClient);
  let streams = 0;
  const options = { schema, config: { limit: 'read' as const, session: true as const }, exposeHeadRoute: false };
  app.get('/api/events', options, async (request, reply) => {
    const { schedule } = request.query;
    if (schedule !== undefined) scheduleAddress(schedule);
    const after = lastEventId(request);
    await checkViewer(request, reply, input);
    if (streams >= mostStreams) {
      reply.header('retry-after', RETRY_AFTER_SECONDS);
      throw new Problem('streams-limited', `${mostStreams} streams are open here: try again, or ask another instance.`);
    }
    // Gone already: nothing would tell that the stream is over.
    if (reply.raw.destroyed) return reply;
    const leave = shares.take(request.client);
    if (leave === undefined) {
      reply.header('retry-after', RETRY_AFTER_SECONDS);
      throw new Problem('streams-limited', `A client may have ${shares.share} streams open here: close one of yours.`);
    }
    const ending = new AbortController();
    const longest = time.after(LONGEST_MS, () => ending.abort());
    metrics.eventStreams.set(++streams);
    reply.raw.once('close', () => {
      leave();
      longest.cancel();
      ending.abort();
      metrics.eventStreams.set(--streams);
    });
    async function* written(): AsyncGenerator<string> {
      let isFirst = true;
      for await (const told of feed.follow(after, HEARTBEAT_MS, ending.signal)) {
        yield isFirst ? beginningText(told) : eventsText(told, schedule);
        isFirst = false;
      }
    }
    reply.type('text/event-stream').header('x-accel-buffering', 'no');
    // Typed by the schema, which has text: it is sent piece by piece.
    return Readable.from(written(), { highWaterMark: PAGES_AHEAD }) as unknown as string;
  });
}

function lastEventId({ headers }: FastifyRequest): bigint | undefined {
  const id = headers['last-event-id'];
  if (id === undefined || id === '') return undefined;
  if (typeof id === 'string' && ID.test(id)) return BigInt(id);
  throw new Problem(
    'invalid-event-id',
    'Last-Event-ID is not the id of an event of this stream: leave it out to begin anew.',
  );
}
