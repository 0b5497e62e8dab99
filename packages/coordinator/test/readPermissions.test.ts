import { systemTime } from '@payouts/client';
import { type RunningBaseLedger, startBaseLedger } from '@payouts/localnet';
import { FaultProxy } from '@payouts/testing/faults/proxy';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ReadPermissions } from '../src/ledger/readPermissions.ts';
import { connectLayer } from '../src/ledger/rpc.ts';
import { createMetrics } from '../src/platform/metrics.ts';
import { sharedFolder } from './support/temporary.ts';

let node: RunningBaseLedger;
let proxy: FaultProxy;

beforeAll(async () => {
  node = await startBaseLedger({ directory: sharedFolder(), time: systemTime });
  proxy = await FaultProxy.start(node, 1);
});
afterAll(async () => {
  await proxy?.stop();
  await node?.stop();
});

/** Of a ledger that runs no permission program, asked by way of the proxy. */
function permissionsThere(): ReadPermissions {
  const signal = new AbortController().signal;
  const connection = { url: proxy.rpcUrl, time: systemTime, signal, metrics: createMetrics() };
  return new ReadPermissions({ layer: connectLayer(connection), connection });
}

describe('read permissions', () => {
  it('are not taken for missing where nobody could tell: pages that all can read would be made', async () => {
    const permissions = permissionsThere();
    proxy.set({ faults: [{ kind: 'server-error', status: 500 }], methods: ['simulateTransaction'] });
    await expect(permissions.areThere()).rejects.toMatchObject({ code: 'layer-unavailable' });
    proxy.set();
    expect(await permissions.areThere()).toBe(false);
  });

  it('are as the layer said last while it does not answer', async () => {
    const permissions = permissionsThere();
    proxy.set();
    expect(await permissions.look()).toBe(false);
    proxy.set({ faults: [{ kind: 'server-error', status: 500 }], methods: ['simulateTransaction'] });
    expect(await permissions.areThere()).toBe(false);
  });
});
