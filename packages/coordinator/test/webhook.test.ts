import { spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { decryptUnpaid, verifyWebhook } from '@payouts/client';
import { freePorts } from '@payouts/localnet';
import fc from 'fast-check';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { paddedToBlock } from '../src/domain/padToBlock.ts';
import { RETRY_MS, retryAfter, urlFault } from '../src/domain/webhook.ts';
import { newWebhookSecret } from '../src/http/webhooks.ts';
import { isPublicAddress } from '../src/webhooks/addresses.ts';
import { encryptedFor, encryptionKeyFault } from '../src/webhooks/encryption.ts';
import { builtChild } from './support/child.ts';

const DAY_MS = 24 * 3_600_000;
const example = fileURLToPath(new URL('children/webhookReceiver.ts', import.meta.url));

describe('the waits between tries', () => {
  it('grow from seconds to about a day, by a fifth at most with chance, and end after about three days', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 9, maxLength: 9 }), (chances) => {
        const waits = chances.map((chance, at) => retryAfter(at + 1, chance) as number);
        for (const [at, wait] of waits.entries()) {
          expect(wait).toBeGreaterThanOrEqual(RETRY_MS[at] as number);
          expect(wait).toBeLessThanOrEqual((RETRY_MS[at] as number) * 1.2 + 1);
        }
        expect(waits[0]).toBeLessThan(10_000);
        expect(waits.at(-1)).toBeLessThan(1.3 * DAY_MS);
        const all = waits.reduce((sum, wait) => sum + wait, 0);
        expect(all).toBeGreaterThan(3 * DAY_MS);
        expect(all).toBeLessThan(4 * DAY_MS);
      }),
    );
    expect(retryAfter(RETRY_MS.length + 1, 0)).toBeUndefined();
  });

  it('are as long as a receiver asks, up to a day, and never shorter for it', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9 }), fc.nat(10 * DAY_MS), (tries, askedMs) => {
        const wait = retryAfter(tries, 0, askedMs) as number;
        expect(wait).toBe(Math.max(RETRY_MS[tries - 1] as number, Math.min(askedMs, DAY_MS)));
      }),
    );
  });
});

describe('a signature', () => {
  it('verifies for what was signed and for nothing else', () => {
    const secret = newWebhookSecret();
    fc.assert(
      fc.property(fc.jsonValue(), fc.nat(), fc.integer({ min: 1, max: 255 }), (data, place, change) => {
        const body = Buffer.from(JSON.stringify({ type: 'run.opened', timestamp: new Date().toISOString(), data }));
        const now = new Date();
        const headers = {
          'webhook-id': 'msg_1',
          'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
          'webhook-signature': new Webhook(secret).sign('msg_1', now, body.toString()),
        };
        expect(verifyWebhook({ body, headers, secret }).type).toBe('run.opened');
        const changed = Buffer.from(body);
        changed[place % body.length] = (changed[place % body.length] as number) ^ change;
        const refused = { code: 'INVALID_WEBHOOK' };
        expect(() => verifyWebhook({ body: changed, headers, secret })).toThrow(expect.objectContaining(refused));
        expect(() => verifyWebhook({ body, headers, secret: newWebhookSecret() })).toThrow();
        expect(() => verifyWebhook({ body, headers: { ...headers, 'webhook-id': 'msg_2' }, secret })).toThrow();
      }),
      { numRuns: 100 },
    );
  });
});

describe('an address', () => {
  it('is taken if it is https, without a user and a fragment; http only where private ones are allowed', () => {
    for (const [url, isPublic, isPrivate] of [
      ['https://example.com/hooks?a=b', true, true],
      ['http://example.com/', false, true],
      ['ftp://example.com/', false, false],
      ['https://user:word@example.com/', false, false],
      ['https://example.com/#part', false, false],
      ['nowhere', false, false],
    ] as const) {
      expect([url, urlFault(url, false) === undefined]).toEqual([url, isPublic]);
      expect([url, urlFault(url, true) === undefined]).toEqual([url, isPrivate]);
    }
  });

  it('is public only if one machine of the internet has it', () => {
    const not = ['10.1.2.3', '172.16.0.1', '192.168.0.1', '127.0.0.1', '0.0.0.0', '169.254.169.254', '100.64.0.1'];
    not.push('224.0.0.1', '255.255.255.255', '::', '::1', 'fe80::1', 'fc00::1', 'ff02::1', '::ffff:127.0.0.1');
    not.push('64:ff9b::7f00:1', '64:ff9b:1::7f00:1', '2002:7f00:1::', '2001::7f00:1', 'nowhere');
    // Compatible with IPv4, translated, of a site, and of what nobody was given.
    not.push('::7f00:1', '::127.0.0.1', '::ffff:0:7f00:1', 'fec0::1', '5f00::1', '4000::1', '0100::1');
    not.push('::ffff:7f00:1', '0:0:0:0:0:ffff:7f00:0001', '2001:db8::1', '3fff::1', '2001:10::1', '2001:20::1');
    expect(not.filter(isPublicAddress)).toEqual([]);
    expect(['8.8.8.8', '2606:4700::1111', '::ffff:8.8.8.8'].filter(isPublicAddress)).toHaveLength(3);
  });
});

describe('a key to encrypt for', () => {
  const unpaid = (amount: string) =>
    paddedToBlock(JSON.stringify({ total: 1, recipients: [{ index: 0, recipient: 'r', amount, held: false }] }));

  it('is of P-256 or X25519, and hides what an amount is by its length, too', async () => {
    for (const options of [{ crv: 'P-256' }, { crv: 'X25519' }]) {
      const pair = await generateKeyPair('ECDH-ES', { ...options, extractable: true });
      const key = await exportJWK(pair.publicKey);
      expect(await encryptionKeyFault(key)).toBeUndefined();
      const [small, large] = await Promise.all([
        encryptedFor(key, unpaid('1')),
        encryptedFor(key, unpaid('9'.repeat(20))),
      ]);
      expect(small.length).toBe(large.length);
      const opened = await decryptUnpaid(small, await exportJWK(pair.privateKey));
      expect(opened.recipients).toEqual([{ index: 0, recipient: 'r', amount: 1n, held: false }]);
    }
  });

  it('is refused if it is of another kind, or no point of its curve', async () => {
    const point = randomBytes(32).toString('base64url');
    const wrong: JWK[] = [
      { kty: 'OKP', crv: 'Ed25519', x: point },
      { kty: 'EC', crv: 'P-384', x: point, y: point },
      { kty: 'EC', crv: 'P-256', x: point, y: point },
      { kty: 'EC', crv: 'P-256', x: point },
    ];
    for (const key of wrong) expect(await encryptionKeyFault(key)).toContain('encryptionKey');
  });
});

it('the receiver of the documentation verifies what is sent to it, and takes a message once', async () => {
  const page = await readFile(new URL('../../../docs/operating/webhooks.md', import.meta.url), 'utf8');
  expect(page).toContain(`\`\`\`ts\n${await readFile(example, 'utf8')}\`\`\``);
  const port = await freePorts(1);
  const secret = newWebhookSecret();
  const child = spawn(process.execPath, [builtChild('webhookReceiver.ts')], {
    env: { ...process.env, PORT: String(port), WEBHOOK_SECRET: secret },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => (said += chunk));
  try {
    const data = { schedulePda: 's', window: '7', claims: { paid: 3, total: 3 }, unpaid: 0, paidAmount: '9' };
    const body = JSON.stringify({ type: 'run.completed', timestamp: new Date().toISOString(), data });
    const id = `msg_${randomUUID()}`;
    const send = async (by: string) => {
      const now = new Date();
      const headers = {
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
        'webhook-signature': new Webhook(by).sign(id, now, body),
      };
      const answer = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body }).catch(() => undefined);
      return answer?.status;
    };
    let first: number | undefined;
    for (let tries = 0; first === undefined && tries < 600; tries++) {
      if (child.exitCode !== null) throw new Error(`The receiver ended with ${child.exitCode}.`);
      first = await send(secret);
      if (first === undefined) await sleep(100);
    }
    expect([first, await send(secret), await send(newWebhookSecret())]).toEqual([204, 204, 400]);
    expect(said).toBe('window 7 paid 3\n');
  } finally {
    child.kill();
  }
});
