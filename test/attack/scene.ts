import { Agent } from 'node:http';
import { type Delegation, signDelegation } from '@payouts/client';
import { generateKeyPairSigner, type KeyPairSigner, type MessagePartialSigner } from '@solana/kit';
import type { Service, Tenant } from './service.ts';
import { type SignedHeaders, type Signing, sign } from './signer.ts';
import { type Answer, ask, type Headers, type Request, sendBytes } from './wire.ts';

/** A key that acts for a wallet, and the header by which the wallet lets it. */
export type Session = { readonly signer: KeyPairSigner; readonly delegation: string };

type Sent = Partial<Request> & {
  readonly path: string;
  /** Which of the service's processes, the first if left out. */
  readonly at?: number;
};
type SignedRequest = { readonly method?: string; readonly path: string; readonly body?: string } & {
  readonly headers?: Headers;
  readonly at?: number;
  readonly more?: Partial<Signing>;
};

/** One attack's view of a service: its own address, and ways to ask. */
export class Scene {
  constructor(
    readonly service: Service,
    /** Loopback address that nobody else asks from. */
    readonly from: string,
    /** Known to nobody. */
    readonly stranger: KeyPairSigner,
    /** What the employer has. */
    readonly ids: Readonly<Record<'webhook' | 'notice' | 'grant' | 'invitation' | 'change', string>>,
    /** Has the connections that its requests use again, if they do. */
    private readonly agent?: Agent,
  ) {}

  /** The same, with connections that are used again: so many at a time. */
  keepingConnections(maxSockets: number): Scene {
    return new Scene(this.service, this.from, this.stranger, this.ids, new Agent({ keepAlive: true, maxSockets }));
  }

  url(at = 0): string {
    const { urls } = this.service;
    return urls[at % urls.length] as string;
  }

  /** Host and port of the service. */
  get authority(): string {
    return new URL(this.url()).host;
  }

  ask({ at, ...request }: Sent): Promise<Answer> {
    return ask(this.url(at), { from: this.from, ...(this.agent && { agent: this.agent }), ...request });
  }

  /** Bytes as they are; the answers. */
  raw(bytes: string | Uint8Array, withinMs?: number): Promise<Answer[]> {
    return sendBytes(this.url(), this.from, bytes, withinMs);
  }

  /** Headers of a request that somebody signs, by default rightly and for the first process. */
  sign(signer: MessagePartialSigner, { method, path, body, at, more }: SignedRequest): Promise<SignedHeaders> {
    const given = { ...(method && { method }), ...(body !== undefined && { body }) };
    return sign({ signer, url: `${this.url(at)}${path}`, ...given, ...more });
  }

  /** Sends a request that somebody signs. */
  async signed(signer: MessagePartialSigner, request: SignedRequest): Promise<Answer> {
    const { more: _, headers, ...sent } = request;
    return this.ask({ ...sent, headers: { ...(await this.sign(signer, request)), ...headers } });
  }

  /** A session of a wallet, good in all but what is changed. */
  async session(wallet: KeyPairSigner, changes: Partial<Delegation> = {}, by = wallet): Promise<Session> {
    const signer = await generateKeyPairSigner();
    const expires = Math.floor(Date.now() / 1_000) + 600;
    const delegation = { origin: new URL(this.url()).origin, wallet: wallet.address, encryption: null, expires };
    return {
      signer,
      delegation: await signDelegation(by, { ...delegation, session: signer.address, ...changes }),
    };
  }

  /** Path of something about a schedule. */
  of({ schedule }: Pick<Tenant, 'schedule'>, rest = ''): string {
    return `/api/schedules/${schedule}${rest}`;
  }

  /** Sends a registration's body. */
  register(body: string | Uint8Array, headers: Headers = {}, more: Partial<Sent> = {}): Promise<Answer> {
    const type = { 'content-type': 'application/json' };
    return this.ask({ method: 'POST', path: '/api/schedules', body, headers: { ...type, ...headers }, ...more });
  }
}

/** A tenant's registration as it should be. */
export const registrationOf = ({ schedule, list }: Pick<Tenant, 'schedule' | 'list'>): string =>
  JSON.stringify({ schedulePda: schedule, recipients: list });
