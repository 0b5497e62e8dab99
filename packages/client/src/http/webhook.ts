import { compactDecrypt, importJWK, type JWK } from 'jose';
import { Webhook } from 'standardwebhooks';
import { ClientError } from './clientError.ts';

type AboutWindow = {
  readonly schedulePda: string;
  /** Number of the window, decimal. */
  readonly window: string;
};

/** What a message tells, by its type; amounts in base units, decimal. */
export type WebhookData = {
  /** A window is open on the base ledger; `deadline` in unix milliseconds. */
  'run.opened': AboutWindow & { readonly recipients: number; readonly deadline: number };
  /** A run waits until somebody has fixed what `errorCode` says. */
  'run.held': AboutWindow & { readonly errorCode: string | null };
  /** A run has stopped, and an operator has to look at it. */
  'run.exhausted': AboutWindow & { readonly state: 'exhausted' | 'failed'; readonly errorCode: string | null };
  /** A window is settled, finally; `paidAmount` null: the ledger no longer tells. */
  'run.completed': AboutWindow & {
    readonly claims: { readonly paid: number; readonly total: number };
    readonly unpaid: number;
    readonly paidAmount: string | null;
  };
  /**
   * Recipients of a completed window stayed unpaid: how many for each reason. `encrypted` is there if the webhook has a key: who, for
   * `decryptUnpaid`; null: that is not known.
   */
  'recipient.unpaid': AboutWindow & {
    readonly unpaid: number;
    readonly reasons: Readonly<Record<string, number>>;
    readonly encrypted?: string | null;
  };
  /** The last window of a schedule is settled, finally; `windows`: how many there were. */
  'schedule.completed': { readonly schedulePda: string; readonly windows: number };
  /**
   * A schedule's money ends: it covers so many further windows. `window`: the first one that it does not cover, due at `dueAt` (unix
   * milliseconds); `missing`: base units to deposit for that one, 0 where its fees are not prepaid. Both null: not known.
   */
  'funding.low': AboutWindow & {
    readonly windowsCovered: number;
    readonly missing: string | null;
    readonly dueAt: number | null;
  };
  /** A window is late. `state` and `errorCode` of its run; null: it has none. `dueAt` in unix milliseconds. */
  'window.late': AboutWindow & {
    readonly dueAt: number;
    readonly state: string | null;
    readonly errorCode: string | null;
  };
  /** Sent on request. */
  'webhook.test': { readonly schedulePda: string };
};

/** A message of the coordinator, verified. */
export type WebhookEvent = {
  readonly [Type in keyof WebhookData]: {
    /** The same each time that it is sent: what was seen already may be left. */
    readonly id: string;
    readonly type: Type;
    /** When it happened. */
    readonly timestamp: Date;
    readonly data: WebhookData[Type];
  };
}[keyof WebhookData];

/** Recipients of a window who stayed unpaid: the first 1,000 of `total`. */
export type UnpaidRecipients = {
  readonly total: number;
  readonly recipients: readonly {
    readonly index: number;
    readonly recipient: string;
    /** Base units. */
    readonly amount: bigint;
    /** Whether the employer holds them back. */
    readonly held: boolean;
  }[];
};

/** A request as a receiver has it; header names in lower case. */
export type WebhookRequest = {
  /** Exactly as it was received. */
  readonly body: string | Buffer;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The webhook's secret, `whsec_…`. */
  readonly secret: string;
};

/**
 * Verifies a message by Standard Webhooks: who sent it, that nothing was changed, and that it was sent within the last five minutes.
 * Throws `ClientError` INVALID_WEBHOOK: answer 400 and do nothing.
 */
export function verifyWebhook({ body, headers, secret }: WebhookRequest): WebhookEvent {
  const text = (name: string): string => String(headers[name] ?? '');
  const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
  try {
    const signed = Object.fromEntries(names.map((name) => [name, text(name)]));
    const { type, timestamp, data } = new Webhook(secret).verify(body, signed) as WebhookEvent;
    return { id: text('webhook-id'), type, timestamp: new Date(timestamp), data } as WebhookEvent;
  } catch (cause) {
    throw new ClientError('INVALID_WEBHOOK', "The message is not signed with the webhook's secret, or too old.", {
      cause,
    });
  }
}

/** Decrypts who stayed unpaid, with the private key (JWK) whose public one the webhook has. Throws jose's errors. */
export async function decryptUnpaid(encrypted: string, privateKey: JWK): Promise<UnpaidRecipients> {
  const { plaintext } = await compactDecrypt(encrypted, await importJWK(privateKey, 'ECDH-ES'), {
    keyManagementAlgorithms: ['ECDH-ES'],
    contentEncryptionAlgorithms: ['A256GCM'],
  });
  const { total, recipients } = JSON.parse(new TextDecoder().decode(plaintext)) as {
    total: number;
    recipients: { index: number; recipient: string; amount: string; held: boolean }[];
  };
  return { total, recipients: recipients.map((each) => ({ ...each, amount: BigInt(each.amount) })) };
}
