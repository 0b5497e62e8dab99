import { type Base64EncodedBytes, generateKeyPairSigner, getAddressEncoder } from '@solana/kit';
import { describe, expect, test } from 'vitest';
import { DELEGATION_PROGRAM, VALIDATOR_IDENTITY } from '../src/index.ts';
import { post, request, SOL, startWithClient, until } from './support.ts';

const { ledger, client } = await startWithClient();
const { rpc } = client;
const code = async (body: string, headers = {}): Promise<number> =>
  JSON.parse(await post(ledger.rpcUrl, body, headers)).error?.code;

describe('JSON-RPC', () => {
  test('refuses what is no request', async () => {
    expect(await code('{')).toBe(-32_700);
    expect(await code('[]')).toBe(-32_600);
    expect(await code('{"jsonrpc":"2.0","id":1}')).toBe(-32_600);
    expect(await code(request('getNothing'))).toBe(-32_601);
    expect(await code(request('getBalance', 'not an address'))).toBe(-32_602);
    expect(await code(request('sendTransaction', 'AAAA', { encoding: 'base64' }))).toBe(-32_602);
    expect(await code(request('getSlot', { minContextSlot: 10 ** 15 }))).toBe(-32_016);
  });

  test('answers a batch in order', async () => {
    const batch = `[${request('getHealth')},${request('getNothing')},${request('getSlot')}]`;
    const answers = JSON.parse(await post(ledger.rpcUrl, batch));
    expect(answers.map((answer: { result?: unknown }) => typeof answer.result)).toEqual([
      'string',
      'undefined',
      'number',
    ]);
  });

  test('writes u64 values as exact number literals', async () => {
    const answer = await post(ledger.rpcUrl, request('getAccountInfo', VALIDATOR_IDENTITY, { encoding: 'base64' }));
    expect(answer).toContain('"rentEpoch":18446744073709551615');
    expect(answer).toContain('"lamports":100000000000');
  });

  test('keeps admin methods from web pages', async () => {
    const warp = request('localnet_warpClock', { seconds: 1 });
    expect(await code(warp, { origin: 'http://example.test' })).toBe(-32_601);
    expect(await code(warp)).toBeUndefined();
  });
});

describe('accounts', () => {
  test('are encoded as asked', async () => {
    const { address } = await generateKeyPairSigner();
    await ledger.admin.setAccount({ address, lamports: SOL, data: Uint8Array.of(1, 2, 3, 4) });
    const data = async (options: object): Promise<unknown> =>
      JSON.parse(await post(ledger.rpcUrl, request('getAccountInfo', address, options))).result.value.data;
    expect(await data({ encoding: 'base64' })).toEqual(['AQIDBA==', 'base64']);
    expect(await data({ encoding: 'base64+zstd' })).toEqual(['AQIDBA==', 'base64']);
    expect(await data({ encoding: null, dataSlice: null })).toBe('2VfUX');
    expect(await data({ encoding: 'base58' })).toEqual(['2VfUX', 'base58']);
    expect(await data({ encoding: 'jsonParsed' })).toEqual(['AQIDBA==', 'base64']);
    expect(await data({ encoding: 'base64', dataSlice: { offset: 1, length: 2 } })).toEqual(['AgM=', 'base64']);
    const { value } = await rpc.getMultipleAccounts([address, (await generateKeyPairSigner()).address]).send();
    expect(value.map((account) => account?.lamports ?? null)).toEqual([SOL, null]);
  });

  test('of a program are filtered by size and bytes', async () => {
    const owner = (await generateKeyPairSigner()).address;
    const marker = (await generateKeyPairSigner()).address;
    const markerBytes = getAddressEncoder().encode(marker);
    const addresses = await Promise.all([0, 1, 2].map(async () => (await generateKeyPairSigner()).address));
    const [first = owner, second = owner, third = owner] = addresses;
    await ledger.admin.setAccount({
      address: first,
      lamports: SOL,
      owner,
      data: Buffer.concat([Buffer.alloc(8), Buffer.from(markerBytes)]),
    });
    await ledger.admin.setAccount({ address: second, lamports: SOL, owner, data: Buffer.alloc(40) });
    await ledger.admin.setAccount({ address: third, lamports: SOL, owner, data: Buffer.alloc(41) });

    const all = await rpc.getProgramAccounts(owner, { encoding: 'base64' }).send();
    expect(all.length).toBe(3);
    const sized = await rpc.getProgramAccounts(owner, { encoding: 'base64', filters: [{ dataSize: 40n }] }).send();
    expect(sized.map((entry) => entry.pubkey).sort()).toEqual([first, second].sort());
    const base58 = { offset: 8n, bytes: marker as string as never, encoding: 'base58' } as const;
    const base64 = {
      offset: 8n,
      bytes: Buffer.from(markerBytes).toString('base64') as Base64EncodedBytes,
      encoding: 'base64',
    } as const;
    for (const memcmp of [base58, base64]) {
      const found = await rpc
        .getProgramAccounts(owner, { encoding: 'base64', filters: [{ dataSize: 40n }, { memcmp }] })
        .send();
      expect(found.map((entry) => entry.pubkey)).toEqual([first]);
    }
    expect((await ledger.admin.listAccounts(owner)).length).toBe(3);
  });

  test('of the published programs stand there from the start', async () => {
    const { value } = await rpc.getAccountInfo(DELEGATION_PROGRAM, { encoding: 'base64' }).send();
    expect(value?.executable).toBe(true);
  });
});

describe('time', () => {
  test('goes on by itself and from where it is moved to', async () => {
    const before = await rpc.getSlot().send();
    const target = 2_000_000_000;
    expect(await ledger.admin.warpClock(target)).toBe(target);
    expect(await ledger.admin.advanceClock(3_600)).toBeGreaterThanOrEqual(target + 3_600);
    const slot = await rpc.getSlot().send();
    expect(slot).toBeGreaterThan(before);
    await until(async () => (await rpc.getSlot().send()) > slot);
    const clock = await rpc
      .getAccountInfo('SysvarC1ock11111111111111111111111111111111' as never, { encoding: 'base64' })
      .send();
    const data = Buffer.from(clock.value?.data[0] ?? '', 'base64');
    expect(Number(data.readBigInt64LE(32))).toBeGreaterThanOrEqual(target + 3_600);
  });
});

describe('the cluster', () => {
  test('describes itself', async () => {
    expect(await rpc.getHealth().send()).toBe('ok');
    expect((await rpc.getVersion().send())['solana-core']).toMatch(/^\d/);
    expect(await rpc.getGenesisHash().send()).toHaveLength((await rpc.getGenesisHash().send()).length);
    expect((await rpc.getIdentity().send()).identity).toBe(VALIDATOR_IDENTITY);
    const epoch = await rpc.getEpochInfo().send();
    expect(epoch.absoluteSlot).toBeGreaterThan(epoch.slotIndex);
    expect(await rpc.getMinimumBalanceForRentExemption(0n).send()).toBe(890_880n);
    expect(await rpc.getRecentPrioritizationFees().send()).toHaveLength(1);
  });

  test('knows the time of a slot that has gone by, and of none that is to come', async () => {
    const slot = await rpc.getSlot().send();
    await ledger.admin.advanceBlocks(3);
    expect(await rpc.getBlockTime(slot).send()).toBeGreaterThan(1_700_000_000n);
    await expect(rpc.getBlockTime(slot + 1_000_000n).send()).rejects.toThrow('Block not available');
  });
});
