import fc from 'fast-check';
import { expect, it } from 'vitest';
import * as inBrowser from '../src/platform/browser.ts';
import * as inNode from '../src/platform/node.ts';

const bytes = fc.uint8Array({ maxLength: 200 });

it('gives the same hashes, digits and bytes in a browser as in Node', () => {
  fc.assert(
    fc.property(bytes, bytes, (key, message) => {
      const hashed = [inBrowser, inNode].map(({ sha256Into }) => {
        const target = new Uint8Array(34);
        sha256Into(message, target, 1);
        return target;
      });
      expect(hashed[0]).toEqual(hashed[1]);
      expect(inBrowser.hmacSha256(key, message)).toEqual(inNode.hmacSha256(key, message));
      expect(inBrowser.toHex(message)).toBe(inNode.toHex(message));
      expect(inBrowser.fromHex(inNode.toHex(message))).toEqual(inNode.fromHex(inBrowser.toHex(message)));
    }),
  );
});

it('lets others have their turn in a browser, too, each who waits once', async () => {
  const order: string[] = [];
  const first = inBrowser.nextTurn().then(() => order.push('first'));
  const second = inBrowser.nextTurn().then(() => order.push('second'));
  order.push('now');
  await Promise.all([first, second]);
  expect(order).toEqual(['now', 'first', 'second']);
});
