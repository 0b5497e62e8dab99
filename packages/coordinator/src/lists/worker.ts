import { parentPort, workerData } from 'node:worker_threads';
import { deriveBlock } from './derive.ts';
import type { Derivation } from './inWorker.ts';

// Run by `deriveInWorker`, in a thread of its own.
const { blocks, base } = workerData as Derivation;
parentPort?.postMessage(blocks.map((block) => deriveBlock(block, base)));
