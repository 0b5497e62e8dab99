import { expect, it } from 'vitest';
import { Timeline } from '../src/baseLedger/timeline.ts';

it('finds what had happened at an instant, and what came next', () => {
  const timeline = new Timeline<string>();
  for (const at of [10, 20, 20, 30]) timeline.add(at, `${at}.${timeline.size}`);
  expect([9, 10, 19, 20, 29, 31].map((instant) => timeline.upTo(instant))).toEqual([
    undefined,
    '10.0',
    '10.0',
    '20.2',
    '20.2',
    '30.3',
  ]);
  expect([9, 10, 20, 30].map((instant) => timeline.after(instant)?.what)).toEqual(['10.0', '20.1', '30.3', undefined]);
});

it('takes a clock that was set back for one that stands', () => {
  const timeline = new Timeline<string>();
  timeline.add(20, 'before');
  timeline.add(5, 'after');
  expect([timeline.upTo(19), timeline.upTo(20)]).toEqual([undefined, 'after']);
});

it('forgets the oldest first, and keeps in order what is left', () => {
  const timeline = new Timeline<number>();
  for (let at = 0; at < 1_000; at++) timeline.add(at, at);
  for (let at = 0; at < 700; at++) expect(timeline.forget(699)).toBe(at);
  expect(timeline.forget(699)).toBeUndefined();
  expect([timeline.size, timeline.upTo(699), timeline.upTo(800), timeline.after(1)?.what]).toEqual([
    300,
    undefined,
    800,
    700,
  ]);
  timeline.forgetBefore(900);
  expect([timeline.size, timeline.upTo(899), timeline.upTo(900)]).toEqual([100, undefined, 900]);
  timeline.forgetBefore(-1);
  expect(timeline.size).toBe(100);
});
