import { PAYOUT_LEDGER_PROGRAM_ADDRESS } from '@payouts/client';
import { serveLoopback } from '@payouts/testing/loopback';
import { manualTime } from '@payouts/testing/manualTime';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connectLayer } from '../src/ledger/rpc.ts';
import { Silence } from '../src/ledger/silence.ts';
import { watchStalls } from '../src/runs/stalls.ts';
import { addSchedule } from './support/addSchedule.ts';
import { useApi } from './support/api.ts';
import { countOf } from './support/counted.ts';
import { silentLog } from './support/log.ts';
import { addRun, begin } from './support/runs.ts';
import { useStore } from './support/stores.ts';

describe('how long a ledger has answered nothing', () => {
  it('counts from the first call that is not answered, and not while nobody asks', async () => {
    const time = manualTime();
    const silence = new Silence(time);
    silence.begun();
    await time.advance(4_000);
    silence.begun();
    await time.advance(3_000);
    expect([silence.milliseconds, silence.isSilent]).toEqual([7_000, true]);
    silence.ended(true);
    expect([silence.milliseconds, silence.isSilent]).toEqual([0, false]);
    // The other one still waits.
    await time.advance(2_000);
    expect(silence.milliseconds).toBe(2_000);
    silence.ended(false);
    await time.advance(3_600_000);
    expect([silence.milliseconds, silence.isSilent]).toEqual([2_000, false]);
    silence.begun();
    silence.ended(true);
    expect(silence.milliseconds).toBe(0);
  });
});

describe('a layer that takes calls and never answers', () => {
  const store = useStore();
  const time = manualTime();
  const silences = { base: new Silence(time), layer: new Silence(time) };
  const service = useApi(store, { time, silences });

  it('shows within 10 s on the runs that wait for it, in health and metrics, and no longer once it answers', async () => {
    const over = new AbortController();
    onTestFinished(() => over.abort());
    let answer = (): void => {};
    const asked = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const { url } = await serveLoopback(async (_, response) => {
      await asked;
      response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result: { context: { slot: 5 }, value: [null] } }));
    });
    const { query: database } = store;
    const schedule = await addSchedule(database, {});
    const key = { schedule, window: 0n };
    await addRun(database, key);
    const { run } = await begin(database, key, 'claim', time.now());
    const underWay = new Set([run.id]);
    const { metrics } = service;
    void watchStalls({ time, database, silences, underWay, metrics, log: silentLog, signal: over.signal });

    const shown = async () => {
      const read = async (path: string) => (await service.api.inject(path)).json();
      const { executions } = await read(`/api/schedules/${schedule}/executions`);
      const { status, silent } = await read('/api/health');
      const seconds = await countOf(metrics, 'service_ledger_silent_seconds', { ledger: 'layer' });
      return { state: executions[0].state, code: executions[0].errorCode, status, silent, hasSilence: seconds >= 5 };
    };
    const fine = { state: 'running', code: null, status: 'healthy', silent: [], hasSilence: false };
    const layer = connectLayer({ url, time, signal: over.signal, silence: silences.layer });
    const read = layer.accounts([PAYOUT_LEDGER_PROGRAM_ADDRESS]);
    await time.advance(1_000);
    expect(await shown()).toEqual(fine);
    await time.advance(6_000);
    await expect.poll(shown).toEqual({ ...fine, code: 'layer-unavailable', silent: ['layer'], hasSilence: true });

    answer();
    await read;
    await expect.poll(() => time.advance(1_000).then(shown)).toEqual(fine);
  });
});
