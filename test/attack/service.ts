import type { RecipientJson } from '@payouts/client';
import type { KeyPairSigner } from '@solana/kit';

/**
 * What attacks need of a service beside one schedule that is paid.
 * `rival`: a second employer who is registered; `viewer`: somebody who reads for the employer; `hidden`: a dashboard for operators alone; `public-webhooks`, `private-webhooks`: where
 * webhooks may be; `two`: another process on the same database.
 */
export type Need = 'rival' | 'viewer' | 'hidden' | 'public-webhooks' | 'private-webhooks' | 'two';

/** An employer with a list that the service has. */
export type Tenant = {
  readonly signer: KeyPairSigner;
  readonly schedule: string;
  readonly list: readonly RecipientJson[];
};

/** A running service and whom it knows. Window 0 of the employer's schedule is settled. */
export type Service = {
  readonly title: string;
  /** Where its processes answer. */
  readonly urls: readonly [string, ...string[]];
  /** The first process's id, if it is known. */
  readonly pid?: number | undefined;
  /** What it has, of what attacks need. */
  readonly has: readonly Need[];
  readonly employer: Tenant;
  /** Somebody of the employer's list. */
  readonly recipient: KeyPairSigner;
  readonly rival?: Tenant;
  /** Who has a viewer's role with the employer. */
  readonly viewer?: KeyPairSigner;
  /** One with a long list, of which every read that looks through all of it costs much. */
  readonly long: Tenant;
  readonly operator: KeyPairSigner;
  /** Has another process on the same database join, whose clock is so many seconds ahead. */
  joinedAhead?(seconds: number): Promise<{ readonly url: string; stop(): Promise<unknown> }>;
};

/** Whose X-Forwarded-… headers every service under attack believes. */
export const TRUSTED_PROXY = '127.0.0.9';
/** What `/api/metrics` asks for. */
export const METRICS_TOKEN = 'token-of-the-attacked-service';
/** Settings of every service under attack; all else is as it comes. */
export const ATTACKED = { METRICS_AUTH_TOKEN: METRICS_TOKEN, TRUSTED_PROXIES: TRUSTED_PROXY };
