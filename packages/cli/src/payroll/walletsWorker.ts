import { parentPort } from 'node:worker_threads';
import { unsignable } from '@payouts/payroll';

// Run by `startWalletThread`.
parentPort?.on('message', (addresses: Uint8Array) => {
  parentPort?.postMessage(unsignable(addresses));
});
