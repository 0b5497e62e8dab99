import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request as plainRequest } from 'node:http';
import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import { type RecipientList, recipientsToJson, signRequest, signRequestWithBody, systemTime } from '@payouts/client';
import { untilAnswered } from '@payouts/testing/patience';
import type { KeyPairSigner } from '@solana/kit';
import type { EvidenceWriter, Read } from '../evidence.ts';

/** Bytes of a request's line and usual headers, and of an answer's first line. */
const REQUEST_HEAD = 160;
const ANSWER_HEAD = 17;

/** Where the API is: for whoever looks at what is public, and for whoever has something to keep, with that one's certificate (PEM). */
export type Doors = { readonly open: string; readonly secure: string; readonly cert: string };

type Headers = Readonly<Record<string, string>>;
/** An answer; `at` and `sent`: when it was asked for, and by which headers. */
type Asked = {
  readonly at: number;
  readonly sent: Headers;
  readonly status: number;
  readonly headers: string;
  readonly body: string;
};

/** Asks the API as everybody, employers and recipients do. Of public answers the content is noted, of private ones the size. */
export class Visitor {
  readonly #former = new Map<string, string>();
  readonly #seen = new Set<string>();

  constructor(
    private readonly doors: Doors,
    private readonly evidence: EvidenceWriter,
  ) {}

  /** What anybody may read; noted when it has changed. */
  async look(path: string): Promise<{ readonly status: number; readonly body: string }> {
    const response = await fetch(`${this.doors.open}${path}`);
    const { status } = response;
    const body = await response.text();
    if (this.#former.get(path) !== body) {
      this.#former.set(path, body);
      const at = Date.now();
      if (path === '/api/metrics') this.evidence.note('metrics', { at, text: this.#new(body) });
      else this.evidence.note('answers', { at, path, status, headers: JSON.stringify([...response.headers]), body });
    }
    return { status, body };
  }

  /** The lines of a scrape that none before had. */
  #new(text: string): string {
    const lines = text.split('\n').filter((line) => !this.#seen.has(line));
    for (const line of lines) this.#seen.add(line);
    return lines.join('\n');
  }

  /** Gives a schedule's list to the coordinator, from an address of the employer's. */
  async register(schedule: string, list: RecipientList, peer: string): Promise<void> {
    const path = '/api/schedules';
    const content = JSON.stringify({ schedulePda: schedule, recipients: recipientsToJson(list.recipients) });
    const unsigned = async () => ({ 'content-type': 'application/json' });
    const { status, headers, body } = await this.#ask(path, peer, unsigned, content);
    if (status >= 300) throw new Error(`A registration was refused with ${status}: ${body}`);
    this.evidence.note('answers', { at: Date.now(), path, status, headers, body });
  }

  /** A recipient's payment code of a token, from an address of theirs. */
  async code(signer: KeyPairSigner, mint: string, peer: string): Promise<string> {
    const path = '/api/recipients/me/payment-codes';
    const content = JSON.stringify({ mint });
    const url = `${this.doors.secure}${path}`;
    const signed = () => signRequestWithBody({ signer, url, body: content, time: systemTime });
    const { status, body } = await this.#ask(path, peer, signed, content);
    if (status !== 200) throw new Error(`A payment code was refused with ${status}: ${body}`);
    return (JSON.parse(body) as { paymentCode: string }).paymentCode;
  }

  /** Has the relay pay for a transfer, from an address of whoever's wallet it is. It is encrypted in production; only its length is noted. Whether it was taken. */
  async relay(transaction: string, localAddress: string): Promise<boolean> {
    const headers = { 'content-type': 'application/json' };
    const url = `${this.doors.open}/api/relayed-transfers`;
    const asked = plainRequest(url, { method: 'POST', headers, localAddress, agent: false });
    asked.end(JSON.stringify({ transaction }));
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    await text(response);
    return response.statusCode === 200;
  }

  /** A recipient's private read, from an address of theirs. */
  async own<T>(
    signer: KeyPairSigner,
    schedule: string,
    peer: string,
  ): Promise<{ readonly body: T; readonly read: Read }> {
    const path = `/api/schedules/${schedule}/recipients/me`;
    const url = `${this.doors.secure}${path}`;
    const signed = () => signRequest({ signer, url, time: systemTime });
    const { at, sent, status, headers, body } = await this.#ask(path, peer, signed);
    if (status !== 200) throw new Error(`A private read was refused with ${status}: ${body}`);
    const pairs = JSON.parse(headers) as [string, string][];
    const read: Read = {
      at,
      ms: Date.now() - at,
      peer,
      sent: REQUEST_HEAD + url.length + (sent.signature?.length ?? 0) + (sent['signature-input']?.length ?? 0),
      received:
        ANSWER_HEAD +
        pairs.reduce((sum, [name, value]) => sum + name.length + value.length + 4, 0) +
        Buffer.byteLength(body),
    };
    this.evidence.note('reads', read);
    return { body: JSON.parse(body) as T, read };
  }

  /** Over a connection of its own, encrypted, from this address; once more where the database stands still for some seconds, with other headers. */
  #ask(path: string, localAddress: string, head: () => Promise<Headers>, content?: string): Promise<Asked> {
    const { secure, cert } = this.doors;
    const method = content === undefined ? 'GET' : 'POST';
    return untilAnswered(async () => {
      const [sent, at] = [{ ...(await head()) }, Date.now()];
      const asking = request(`${secure}${path}`, { method, headers: sent, localAddress, ca: cert, agent: false });
      asking.end(content);
      const [response] = (await once(asking, 'response')) as [IncomingMessage];
      const body = await text(response);
      return {
        at,
        sent,
        status: response.statusCode ?? 0,
        headers: JSON.stringify(Object.entries(response.headers)),
        body,
      };
    });
  }
}
