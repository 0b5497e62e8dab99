import { expect, it } from 'vitest';
import { observedApi } from './support/observedApi.ts';
import { useStore } from './support/stores.ts';

const store = useStore();

const TOKEN = 'a-token-of-32-characters-or-so-00';

it.each<[string, Record<string, string>]>([
  ['without a token', {}],
  ['with a wrong token', { authorization: 'Bearer another-token' }],
  ['with a token that is a part of it', { authorization: `Bearer ${TOKEN.slice(0, -1)}` }],
  ['with a token that goes on', { authorization: `Bearer ${TOKEN}0` }],
  ['with an empty token', { authorization: 'Bearer ' }],
  ['with the token in another scheme', { authorization: `Basic ${TOKEN}` }],
  ['with the token alone', { authorization: TOKEN }],
])('answers 403 %s', async (_, headers) => {
  const { api } = await observedApi(store, { token: TOKEN, isPublic: false });
  const response = await api.inject({ url: '/api/metrics', headers });
  expect(response.statusCode).toBe(403);
  expect(response.headers['content-type']).toMatch(/^application\/problem\+json/);
  expect(response.json()).toMatchObject({ code: 'metrics-forbidden', status: 403 });
  expect(response.body).not.toContain('service_');
  expect(response.body).not.toContain(TOKEN);
});

it.each([`Bearer ${TOKEN}`, `bearer ${TOKEN}`, `Bearer  ${TOKEN} `])(
  'answers 200 with the token: "%s"',
  async (authorization) => {
    const { api } = await observedApi(store, { token: TOKEN, isPublic: false });
    const response = await api.inject({ url: '/api/metrics', headers: { authorization } });
    expect(response.statusCode).toBe(200);
    expect(response.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(response.body).toMatch(/^service_database_up [01]$/m);
  },
);

it.each([
  ['no token', undefined],
  ['an empty one', ''],
])('answers 403 to everybody with %s set', async (_, token) => {
  const { api } = await observedApi(store, { token, isPublic: false });
  for (const authorization of [undefined, 'Bearer ', 'Bearer undefined', 'Bearer']) {
    const headers = authorization === undefined ? {} : { authorization };
    const { statusCode } = await api.inject({ url: '/api/metrics', headers });
    expect(statusCode).toBe(403);
  }
});

it('answers 200 to everybody when the metrics are public', async () => {
  const { api } = await observedApi(store, { token: TOKEN, isPublic: true });
  for (const headers of [{}, { authorization: 'Bearer wrong' }]) {
    expect((await api.inject({ url: '/api/metrics', headers })).statusCode).toBe(200);
  }
});
