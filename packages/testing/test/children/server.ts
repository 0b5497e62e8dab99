// Starts a server, freezes it if it is told so, says its port and waits for its end.
import { systemTime } from '@payouts/client';
import { startPostgres, startValkey } from '../../src/services/index.ts';

async function start(): Promise<{ readonly address: string; freeze(): void }> {
  if (process.argv[2] === 'valkey') {
    const valkey = await startValkey(systemTime);
    return { address: valkey.url, freeze: () => valkey.freeze() };
  }
  const postgres = await startPostgres(systemTime, { isToBeFrozen: true });
  return { address: await postgres.createDatabase(), freeze: () => postgres.freeze() };
}

const { address, freeze } = await start();
if (process.argv[3] === 'frozen') freeze();
process.send?.(Number(new URL(address).port));
setInterval(() => {}, 1_000);
