import { systemTime } from '@payouts/client';
import { startValkey } from '@payouts/testing/services';
import { describe, expect, it } from 'vitest';
import { serversEndWith } from '../../packages/testing/test/support/killed.ts';

describe('a Valkey server of the tests', () => {
  it('stops and starts on the same port', async () => {
    const server = await startValkey(systemTime);
    const { url } = server;
    await server.stop();
    await server.start();
    expect(server.url).toBe(url);
    await server.remove();
  });

  it.each(['running', 'frozen'] as const)('ends with the process that started it: %s', (state) =>
    serversEndWith('valkey', state),
  );
});
