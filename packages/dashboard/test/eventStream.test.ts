import fc from 'fast-check';
import { expect, it } from 'vitest';
import { EventReader } from '../src/api/eventStream.ts';

const STREAM =
  ': heartbeat\n\nid: 7\nevent: run\ndata: {"window":"3"}\n\n: heartbeat\n\nevent: schedule\r\ndata: {"a":1,\r\ndata: "b":2}\r\n\r\ndata: cut';

it('reads the same events whatever pieces they arrive in', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: STREAM.length })), (cuts) => {
      const places = [0, ...cuts.sort((one, other) => one - other), STREAM.length];
      const reader = new EventReader();
      const events = places.slice(1).flatMap((end, place) => reader.push(STREAM.slice(places[place], end)));
      expect(events).toEqual([
        { id: '7', type: 'run', data: '{"window":"3"}' },
        { id: undefined, type: 'schedule', data: '{"a":1,\n"b":2}' },
      ]);
    }),
  );
});
