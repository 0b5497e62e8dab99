import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';
import zlib from 'node:zlib';

// Imported first of all: what the service's code does on other threads or in a later turn of the event loop is done at once here, so that
// nothing real decides in which order things happen.

type Compress = (bytes: Uint8Array, done: (error: Error | null, result: Buffer) => void) => void;

const atOnce =
  (work: (bytes: Uint8Array) => Buffer): Compress =>
  (bytes, done) =>
    done(null, work(bytes));

Object.assign(zlib, { deflateRaw: atOnce(zlib.deflateRawSync), inflateRaw: atOnce(zlib.inflateRawSync) });
Object.assign(timers, { setImmediate: (value?: unknown) => Promise.resolve(value) });
syncBuiltinESMExports();
