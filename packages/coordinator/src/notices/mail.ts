import { type Time, timeoutSignal } from '@payouts/client';
import { createTransport, type Transporter } from 'nodemailer';
import type { DeliveryOutcome } from '../domain/webhook.ts';
import { isLoopbackUrl } from '../platform/loopback.ts';
import type { DeliveryResult } from '../webhooks/send.ts';

/** Milliseconds in which a mail server takes a mail, and in which it answers each line: a message is given out anew after 30 s. */
const WITHIN_MS = 20_000;
const LINE_MS = 10_000;

/** A mail as it is sent, plain text. */
export type OutgoingMail = {
  /** The same for each attempt, so that a mail which comes twice is shown once. */
  readonly id: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** Address that ends these notices with one POST (RFC 8058); undefined: there are none to end. */
  readonly unsubscribe: string | undefined;
};

export type MailerInput = {
  /** A mail server, `smtp://…` or `smtps://…`. */
  readonly url: string;
  /** Who the mails are from. */
  readonly from: string;
  readonly time: Time;
};

/** Hands mails to a mail server, which takes them on from there. */
export class Mailer {
  readonly #transport: Transporter;
  readonly #from: string;
  readonly #time: Time;

  constructor({ url, from, time }: MailerInput) {
    this.#from = from;
    this.#time = time;
    this.#transport = createTransport({
      url,
      connectionTimeout: LINE_MS,
      greetingTimeout: LINE_MS,
      socketTimeout: LINE_MS,
      // Who is written to is nobody's business on the way.
      requireTLS: !isLoopbackUrl(url),
      // Texts are our own: nothing in them names a file or an address to read.
      disableFileAccess: true,
      disableUrlAccess: true,
    });
  }

  /** Throws unless the mail server is there and takes the sign-in. */
  async verify(): Promise<void> {
    await this.#transport.verify();
  }

  /** Sends a mail once. `status` null: the mail server is not to be had. Throws the signal's reason if it aborts meanwhile. */
  async send({ id, to, subject, text, unsubscribe }: OutgoingMail, signal: AbortSignal): Promise<DeliveryResult> {
    const [, host] = this.#from.split('@');
    const sending = this.#transport.sendMail({
      from: this.#from,
      to: { name: '', address: to },
      subject,
      text,
      messageId: `<${id}@${host}>`,
      textEncoding: 'quoted-printable',
      headers: {
        'Auto-Submitted': 'auto-generated',
        ...(unsubscribe !== undefined && {
          'List-Unsubscribe': `<${unsubscribe}>`,
          'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
        }),
      },
    });
    const sent = sending.then(
      () => ({ outcome: 'delivered' as const, status: null, askedMs: 0 }),
      (error: SmtpError) => ({ ...refusalOf(error), askedMs: 0 }),
    );
    const ending = AbortSignal.any([signal, timeoutSignal(this.#time, WITHIN_MS)]);
    const ended = new Promise<undefined>((resolve) => {
      ending.addEventListener('abort', () => resolve(undefined), { once: true });
    });
    const result = await Promise.race([sent, ended]);
    if (result !== undefined) return result;
    signal.throwIfAborted();
    return { outcome: 'timed-out', status: null, askedMs: 0 };
  }
}

type SmtpError = { readonly code?: string; readonly responseCode?: number };

/** That a mailbox is not there, or takes nothing: RFC 5321, 4.2.3. What else is refused for good may be so for today. */
const GONE: ReadonlySet<number> = new Set([550, 551, 553]);

function refusalOf({ code, responseCode }: SmtpError): { outcome: DeliveryOutcome; status: number | null } {
  // Only what is said of the address or the mail is the address's own.
  const isOfMail = code === 'EENVELOPE' || code === 'EMESSAGE';
  if (!isOfMail || responseCode === undefined) {
    return { outcome: code === 'ETIMEDOUT' ? 'timed-out' : 'unreachable', status: null };
  }
  return { outcome: code === 'EENVELOPE' && GONE.has(responseCode) ? 'gone' : 'refused', status: responseCode };
}
