import { Agent, type Dispatcher, setGlobalDispatcher } from 'undici';

/** Milliseconds for a connection, for the head of an answer, and between two parts of its body. */
const SILENT_MS = 10_000;
/** Bytes of an answer of a key service, a layer's sign-in or quote, or of a processor's maker: each is some thousand. */
const MOST_BYTES = 4 * 1_024 * 1_024;

/** Connections whose answers end: none is larger than so many bytes, and none silent for long. */
export const boundedAgent = (mostBytes: number): Dispatcher =>
  new Agent({
    connect: { timeout: SILENT_MS },
    headersTimeout: SILENT_MS,
    bodyTimeout: SILENT_MS,
    maxResponseSize: mostBytes,
  });

/** Bounds whatever this process asks for, by `fetch` within libraries as well, unless it has connections of its own. */
export const boundOutgoing = (): void => setGlobalDispatcher(boundedAgent(MOST_BYTES));
