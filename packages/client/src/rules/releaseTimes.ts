import { ClientError } from '../http/clientError.ts';

/** Seconds between two release instants: withdrawals that are released at the same one can't be told apart by their time. */
export const RELEASE_SECONDS = 600;
/** Seconds ahead at most: the ledger program refuses more. */
export const LONGEST_RELEASE_SECONDS = 90 * 86_400;

/** Each of 0 to `bound - 1` with the same chance, `bound` being at most 2^32. Secrets hang on it: the source is cryptographic. */
export type RandomBelow = (bound: number) => number;

const RANGE = 2 ** 32;

/** Drawn at once, since a call of the platform's source costs as much as hundreds of numbers; each is used once. */
const drawn = new Uint32Array(1_024);
let used = drawn.length;

function draw(): number {
  if (used === drawn.length) {
    crypto.getRandomValues(drawn);
    used = 0;
  }
  const number = drawn[used] as number;
  drawn[used++] = 0;
  return number;
}

/** By the platform's cryptographic source. */
export const secureRandomBelow: RandomBelow = (bound) => {
  // What lies above the last multiple of the bound would make its first remainders likelier.
  const fair = RANGE - (RANGE % bound);
  for (;;) {
    const number = draw();
    if (number < fair) return number % bound;
  }
};

/** What `drawReleaseTime` draws from. */
export type ReleaseWindow = {
  /** Unix seconds. */
  readonly earliest: bigint;
  readonly latest: bigint;
  /** Seconds between two release instants, `RELEASE_SECONDS` by default. */
  readonly every?: number;
};

/**
 * Draws when a withdrawal is released: each release instant of the window with the same chance, in unix seconds. Instants are the
 * multiples of `every`. When the window has none, it is the first one after it. Throws `INVALID_RELEASE_TIME` for a window that
 * ends before it begins, or is longer than 90 days.
 */
export function drawReleaseTime(window: ReleaseWindow, random: RandomBelow = secureRandomBelow): bigint {
  const { earliest, latest, every = RELEASE_SECONDS } = window;
  if (latest < earliest || latest - earliest > BigInt(LONGEST_RELEASE_SECONDS)) {
    throw new ClientError(
      'INVALID_RELEASE_TIME',
      'A release window must not end before it begins, nor last longer than 90 days.',
    );
  }
  if (!Number.isSafeInteger(every) || every < 1 || earliest < 0n) {
    throw new ClientError('INVALID_RELEASE_TIME', 'Release instants are whole seconds apart, at times from 1970 on.');
  }
  const first = releaseInstant(earliest, every);
  const instants = latest < first ? 1n : (latest - first) / BigInt(every) + 1n;
  return first + BigInt(every) * BigInt(random(Number(instants)));
}

/** The first release instant at or after a time, unix seconds. */
export function releaseInstant(time: bigint, every: number = RELEASE_SECONDS): bigint {
  const step = BigInt(every);
  return ((time + step - 1n) / step) * step;
}
