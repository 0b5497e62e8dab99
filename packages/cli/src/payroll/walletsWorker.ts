import { parentPort } from 'node:worker_threads';
import { unsignable } from './wallets.ts';

// Run by `WalletCheck`, in a thread of its own.
parentPort?.on('message', (addresses: Uint8Array) => {
  parentPort?.postMessage(unsignable(addresses));
});
