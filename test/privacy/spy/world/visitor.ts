import { type RecipientList, recipientsToJson, signRequest, systemTime } from '@payouts/client';
import type { KeyPairSigner } from '@solana/kit';
import type { EvidenceWriter, Read } from '../evidence.ts';

/** Bytes of a request's line and usual headers, and of an answer's first line. */
const REQUEST_HEAD = 160;
const ANSWER_HEAD = 17;

/** Asks the API as everybody, employers and recipients do. Of public answers the content is noted, of private ones the size. */
export class Visitor {
  readonly #former = new Map<string, string>();

  constructor(
    private readonly url: string,
    private readonly evidence: EvidenceWriter,
  ) {}

  /** What anybody may read; noted when it has changed. */
  async look(path: string): Promise<{ readonly status: number; readonly body: string }> {
    const response = await fetch(`${this.url}${path}`);
    const { status } = response;
    const body = await response.text();
    if (this.#former.get(path) !== body) {
      this.#former.set(path, body);
      const at = Date.now();
      if (path === '/api/metrics') this.evidence.note('metrics', { at, text: body });
      else this.evidence.note('answers', { at, path, status, headers: JSON.stringify([...response.headers]), body });
    }
    return { status, body };
  }

  /** Gives a schedule's list to the coordinator. */
  async register(schedule: string, list: RecipientList): Promise<void> {
    const response = await fetch(`${this.url}/api/schedules`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ schedulePda: schedule, recipients: recipientsToJson(list.recipients) }),
    });
    const body = await response.text();
    if (!response.ok) throw new Error(`A registration was refused with ${response.status}: ${body}`);
    const headers = JSON.stringify([...response.headers]);
    this.evidence.note('answers', { at: Date.now(), path: '/api/schedules', status: response.status, headers, body });
  }

  /** A recipient's private read. */
  async own<T>(signer: KeyPairSigner, schedule: string): Promise<{ readonly body: T; readonly read: Read }> {
    const url = `${this.url}/api/schedules/${schedule}/recipients/me`;
    const signed = await signRequest({ signer, url, time: systemTime });
    const at = Date.now();
    const response = await fetch(url, { headers: signed });
    const text = await response.text();
    if (response.status !== 200) throw new Error(`A private read was refused with ${response.status}: ${text}`);
    const headers = [...response.headers].reduce((sum, [name, value]) => sum + name.length + value.length + 4, 0);
    const read: Read = {
      at,
      ms: Date.now() - at,
      sent: REQUEST_HEAD + url.length + signed.signature.length + signed['signature-input'].length,
      received: ANSWER_HEAD + headers + Buffer.byteLength(text),
    };
    this.evidence.note('reads', read);
    return { body: JSON.parse(text) as T, read };
  }
}
