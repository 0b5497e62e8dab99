import type { SignedSend } from '@payouts/client';
import type { Address } from '@solana/kit';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  addingEffects,
  addWebhook,
  type DeliveryJson,
  publicJwk,
  replayingEffects,
  replayWebhook,
  testWebhook,
  type WebhookJson,
  webhookStanding,
} from '../src/index.ts';

const SCHEDULE = 'SCHEDULE' as Address;
const timeText = (at: number) => `at ${at}`;

/** A coordinator that gives these answers one after the other, and the last one for ever; with what it was asked. */
function coordinator(...answers: readonly unknown[]) {
  const asked: unknown[][] = [];
  const send: SignedSend = async <T>(...request: unknown[]) => {
    asked.push(request);
    return answers[Math.min(asked.length, answers.length) - 1] as T;
  };
  return { send, asked };
}

const delivery = (messageId: string, state: DeliveryJson['state']) => ({ messageId, state });

it('leaves out the private part of a key, whatever else it has', () => {
  const key = fc.dictionary(fc.string(), fc.jsonValue()).map((more) => ({ ...more, kty: 'EC', d: 'private' }));
  fc.assert(
    fc.property(key, (jwk) => {
      const read = publicJwk(JSON.stringify(jwk), 'key.jwk');
      const { d: _private, ...others } = JSON.parse(JSON.stringify(jwk)) as Record<string, unknown>;
      expect(read).toEqual(others);
      expect(JSON.stringify(read)).not.toContain('"d":"private"');
    }),
  );
  for (const text of ['', '{', '[]', 'null', '7', '{"x":"1"}']) {
    expect(() => publicJwk(text, 'key.jwk')).toThrow(expect.objectContaining({ code: 'key-unreadable' }));
  }
});

it('waits for what comes of its own test, and no longer than it may', async () => {
  const others = [delivery('msg_1', 'delivered')];
  const { send, asked } = coordinator(
    { messageId: 'msg_2' },
    { deliveries: others },
    { deliveries: [delivery('msg_2', 'pending'), ...others] },
    { deliveries: [delivery('msg_2', 'failed'), ...others] },
  );
  let pauses = 0;
  const time = { pause: async () => void pauses++ };
  expect(await testWebhook(send, SCHEDULE, 'a/b', time)).toMatchObject({ messageId: 'msg_2', state: 'failed' });
  expect(pauses).toBe(2);
  expect(asked[0]?.slice(0, 2)).toEqual(['POST', '/api/schedules/SCHEDULE/webhooks/a%2Fb/test']);
  expect(asked.slice(1).every(([method]) => method === 'GET')).toBe(true);

  const silent = coordinator({ messageId: 'msg_2' }, { deliveries: others });
  await expect(testWebhook(silent.send, SCHEDULE, 'id', time)).rejects.toMatchObject({ code: 'not-delivered' });
});

it('says what it will do, and asks for no more than that', async () => {
  const wish = { url: 'https://example.com/hook', types: ['run.held'] };
  expect(addingEffects(wish)).toEqual([
    'Tells https://example.com/hook of this payroll: run.held.',
    'Unpaid recipients are counted, not named.',
  ]);
  expect(addingEffects({ url: wish.url, scope: 'vault', encryptionKey: {} })).toEqual([
    'Tells https://example.com/hook of all payrolls of the vault: everything.',
    'Unpaid recipients are named to the holder of the key.',
  ]);
  const { send, asked } = coordinator({ replayed: 3 });
  await addWebhook(send, SCHEDULE, wish);
  expect(await replayWebhook(send, SCHEDULE, 'id', { since: 7 })).toBe(3);
  expect(asked).toEqual([
    ['POST', '/api/schedules/SCHEDULE/webhooks', wish],
    ['POST', '/api/schedules/SCHEDULE/webhooks/id/replay', { since: 7 }],
  ]);
  expect(replayingEffects('id', { since: 7 }, timeText)[0]).toContain('all messages since at 7 to id again');
  expect(replayingEffects('id', { messageId: 'msg_1' }, timeText)[0]).toContain('the message msg_1 to id again');
});

it('says why a webhook gets nothing', () => {
  const standing = (webhook: Partial<WebhookJson>) => webhookStanding(webhook as WebhookJson, timeText);
  const fine = { disabledWhy: null, failingSince: null };
  expect(standing({ ...fine, state: 'active' })).toBe('active');
  expect(standing({ ...fine, state: 'failing', failingSince: 7 })).toBe('failing since at 7');
  expect(standing({ state: 'disabled', disabledWhy: 'gone', failingSince: null })).toBe('disabled: it answered 410');
});
