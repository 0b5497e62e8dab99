import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';
import { beforeAll, expect, it } from 'vitest';
import { useApi } from './support/api.ts';
import { useStore } from './support/stores.ts';
import { sharedFolder } from './support/temporary.ts';

const PAGE = '<!doctype html><script type="module" src="/assets/main-4f2a.js"></script>';
const WORKER = 'addEventListener("fetch", () => {});';
const SCRIPT = 'console.log("the page");'.repeat(100);

const store = useStore();
const parent = sharedFolder();
const pageFolder = join(parent, 'dist');
beforeAll(() => {
  mkdirSync(join(pageFolder, 'assets'), { recursive: true });
  writeFileSync(join(parent, 'secret.txt'), 'secret');
  writeFileSync(join(pageFolder, 'index.html'), PAGE);
  writeFileSync(join(pageFolder, 'worker.js'), WORKER);
  writeFileSync(join(pageFolder, 'redeem.html'), PAGE);
  writeFileSync(join(pageFolder, 'assets', 'main-4f2a.js'), SCRIPT);
  writeFileSync(join(pageFolder, 'assets', 'main-4f2a.js.br'), brotliCompressSync(SCRIPT));
  writeFileSync(join(pageFolder, 'assets', '.hidden'), 'hidden');
});

const service = useApi(store, { pages: [{ at: '/', folder: pageFolder, files: [] }] });
const deployment = {
  readGenesis: async () => '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d',
  browserRpcUrls: ['https://rpc.example/path', 'https://rpc.example/other', 'http://127.0.0.1:8899'],
  browserLayerUrls: ['https://layer.example'],
  layerIsPrivate: true,
};
const asking = useApi(store, {
  pages: [{ at: '/recipient/', folder: pageFolder, files: ['worker.js', 'redeem.html'], asksAny: 'redeem.html' }],
  deployment,
});
const without = useApi(store);
const get = (url: string, headers: Record<string, string> = {}) => service.api.inject({ url, headers });

it('the page is asked for anew each time, and runs nothing but its own files', async () => {
  const { statusCode, headers, body } = await get('/');
  expect([statusCode, body]).toEqual([200, PAGE]);
  expect(headers).toMatchObject({ 'cache-control': 'no-cache', 'content-type': 'text/html; charset=utf-8' });
  const policy = String(headers['content-security-policy']);
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("script-src 'self';");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toContain('unsafe');
  expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' });
  expect(headers['x-request-id']).toBeDefined();
});

it('its files are kept by browsers, and sent compressed as the build made them', async () => {
  const plain = await get('/assets/main-4f2a.js');
  expect([plain.statusCode, plain.body]).toEqual([200, SCRIPT]);
  expect(plain.headers['cache-control']).toBe('public, max-age=31536000, immutable');
  const compressed = await get('/assets/main-4f2a.js', { 'accept-encoding': 'br' });
  expect(compressed.headers).toMatchObject({
    'content-encoding': 'br',
    vary: expect.stringMatching(/accept-encoding/i),
  });
  expect(brotliDecompressSync(compressed.rawPayload).toString()).toBe(SCRIPT);
  expect(compressed.headers['content-type']).toMatch(/javascript/);
});

it('a page may ask this service, and the ledgers that browsers are told of, and nobody else', async () => {
  const { headers } = await get('/');
  expect(String(headers['content-security-policy'])).toContain("connect-src 'self';");
  const at = (url: string) => asking.api.inject({ url });
  const [page, worker, told] = [await at('/recipient/'), await at('/recipient/worker.js'), await at('/api/deployment')];
  for (const { headers } of [page, worker]) {
    expect(String(headers['content-security-policy'])).toContain(
      "connect-src 'self' https://rpc.example http://127.0.0.1:8899 https://layer.example;",
    );
    expect(headers['cache-control']).toBe('no-cache');
  }
  expect([page.body, worker.body]).toEqual([PAGE, WORKER]);
  expect(told.json()).toMatchObject({
    genesisHash: '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d',
    rpcUrls: deployment.browserRpcUrls,
    layerUrls: deployment.browserLayerUrls,
    layerIsPrivate: true,
    recipientPage: '/recipient/',
  });
  const { headers: wider } = await at('/recipient/redeem.html');
  expect(String(wider['content-security-policy'])).toContain("connect-src 'self' https: http://127.0.0.1:*");
  const beside = await asking.api.inject({ url: '/recipient' });
  expect([beside.statusCode, beside.headers.location]).toEqual([308, '/recipient/']);
});

it.each([
  '/assets/none.js',
  '/assets/',
  '/assets',
  '/index.html',
  '/assets/../index.html',
  '/assets/..%2f..%2fsecret.txt',
  '/assets/%2e%2e/%2e%2e/secret.txt',
  '/assets/.hidden',
  '/other',
])('%s is nothing, and says so as every error', async (url) => {
  const { statusCode, headers, body } = await get(url);
  expect(statusCode).toBe(404);
  expect(headers['content-type']).toBe('application/problem+json; charset=utf-8');
  expect(headers['cache-control']).toBe('no-store');
  expect(body).not.toContain('secret');
  expect(body).not.toContain('hidden');
});

it('the API has its own rules beside it, and stays when there is no page', async () => {
  const { headers } = await get('/api/health');
  expect(headers['content-security-policy']).toBe("default-src 'none';frame-ancestors 'none'");
  expect((await without.api.inject('/')).statusCode).toBe(404);
  expect((await without.api.inject('/api/health')).statusCode).toBe(200);
  const posted = await service.api.inject({ method: 'POST', url: '/' });
  expect([posted.statusCode, posted.headers.allow]).toEqual([405, 'GET, HEAD']);
});
