import { createHash, randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { addressToBytes, PAYOUT_LEDGER_PROGRAM_ADDRESS, PERMISSION_PROGRAM_ADDRESS } from '@payouts/client';
import {
  type Address,
  getBase58Encoder,
  getCompiledTransactionMessageDecoder,
  getPublicKeyFromAddress,
  getTransactionDecoder,
  type ReadonlyUint8Array,
  type SignatureBytes,
  verifySignature,
} from '@solana/kit';
import { permissionProgramFile } from '../litesvm/programs.ts';
import { type Loopback, serveLoopback } from '../loopback.ts';
import { World } from '../world.ts';
import { Maker } from './maker.ts';
import { type Call, hiddenOf, leftFor, notPermittedIn } from './reads.ts';

/** By which a node says that it does not pass a transaction on. */
const PREFLIGHT_FAILURE = -32_002;

/** What a quote is, or what is wrong with it. */
export type QuoteKind =
  | 'good'
  | 'none'
  | 'noise'
  | 'other-maker'
  | 'replayed'
  | 'wrong-measurement'
  | 'debuggable'
  | 'other-key';

type GatewayInput = {
  /** The real layer's RPC. */
  readonly upstream: string;
  /** The layer's own key. */
  readonly key: Address;
  readonly maker: Maker;
  /** Another one, whom nobody has heard of. */
  readonly otherMaker: Maker;
  /** First measurement of the machine, 48 bytes. */
  readonly mrTd: Uint8Array;
  /** The ledger program, whose private accounts are shown to those whom they belong to, and its execution authority, who sees all. */
  readonly program: Address;
  readonly authority: Address;
};

/** A gateway before a world's layer, which ends with the world. Without more, its quotes are worth nothing. */
export async function gatewayOf(
  world: World,
  more: Partial<Pick<GatewayInput, 'maker' | 'otherMaker' | 'mrTd'>> = {},
): Promise<Gateway> {
  const maker = more.maker ?? (await Maker.found());
  const gateway = await Gateway.start({
    upstream: world.localnet.layerRpcUrl,
    key: world.localnet.validatorIdentity,
    otherMaker: maker,
    mrTd: Buffer.alloc(48),
    program: PAYOUT_LEDGER_PROGRAM_ADDRESS,
    authority: world.authority.address,
    ...more,
    maker,
  });
  // A coordinator that is still there asks for more.
  world.onStop(() => world.stopCoordinator().then(() => gateway.stop()));
  return gateway;
}

/** A newer permission program than that of the validator's package. */
export const PERMISSION_PROGRAM = { address: PERMISSION_PROGRAM_ADDRESS, path: permissionProgramFile };

/** A world whose layer has read permissions, and a gateway that obeys them and nothing else. */
export async function privateWorld(): Promise<{ readonly world: World; readonly gateway: Gateway }> {
  const world = await World.start({ programs: [PERMISSION_PROGRAM] });
  const gateway = await gatewayOf(world);
  gateway.obeysPermissions = true;
  return { world, gateway };
}

type Login = { readonly who: Address; readonly until: number };

/**
 * A private execution layer's front door before a real validator: it lets nobody in who has not signed in, shows nobody what is another's, and
 * gives quotes for the machine that it pretends to be.
 */
export class Gateway {
  #loopback: Loopback | undefined;
  readonly #challenges = new Map<string, string>();
  readonly #logins = new Map<string, Login>();
  #former: Uint8Array | undefined;
  quotes: QuoteKind = 'good';
  /** Whether anybody may sign in. */
  admits = true;
  /** Whether the layer's own read permissions say who sees what, instead of the gateway. */
  obeysPermissions = false;
  /** Which transactions the layer is to refuse, by the data of one of their instructions. */
  refuses: (data: ReadonlyUint8Array) => boolean = () => false;
  /** Milliseconds that a token is good for. */
  tokenLifeMs = 60_000;
  /** Milliseconds for which a token is taken that has ended by what was said of it. */
  graceMs = 0;
  /** SHA-256 of the quotes given, hexadecimal, in order. */
  readonly given: string[] = [];
  /** Sign-ins that were let in. */
  signIns = 0;
  /** Calls that came without a token that is good. */
  turnedAway = 0;

  private constructor(private readonly input: GatewayInput) {}

  /** See `gatewayOf`. */
  static async start(input: GatewayInput): Promise<Gateway> {
    const gateway = new Gateway(input);
    gateway.#loopback = await serveLoopback((request, response) => gateway.#answer(request, response));
    return gateway;
  }

  get url(): string {
    return this.#loopback?.url ?? '';
  }

  /** Takes back every token. */
  revokeTokens(): void {
    this.#logins.clear();
  }

  async stop(): Promise<void> {
    await this.#loopback?.stop();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.url);
    const body = await buffer(request);
    const say = (status: number, value: unknown) => {
      response.statusCode = status;
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(value));
    };
    if (url.pathname === '/quote') {
      const quote = await this.#quote(Buffer.from(url.searchParams.get('challenge') ?? '', 'base64'));
      return quote === undefined ? say(503, {}) : say(200, { quote: Buffer.from(quote).toString('base64') });
    }
    if (url.pathname === '/auth/challenge') {
      const challenge = `Sign in to the layer: ${randomBytes(16).toString('hex')}`;
      this.#challenges.set(challenge, url.searchParams.get('pubkey') ?? '');
      return say(200, { challenge });
    }
    if (url.pathname === '/auth/login') {
      const login = await this.#signIn(JSON.parse(body.toString('utf8')) as Record<string, string>);
      return login === undefined ? say(403, {}) : say(200, login);
    }
    const login = this.#logins.get(url.searchParams.get('token') ?? '');
    if (login === undefined || login.until < Date.now()) {
      this.turnedAway += 1;
      return say(401, { error: 'unauthorized' });
    }
    const { id, ...call } = JSON.parse(body.toString('utf8')) as Call & { readonly id?: unknown };
    if (this.#isRefused(call)) {
      const data = { err: { InstructionError: [0, { Custom: 1 }] }, logs: [] };
      return say(200, { jsonrpc: '2.0', id, error: { code: PREFLIGHT_FAILURE, message: 'refused', data } });
    }
    const upstream = await fetch(this.input.upstream, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    const shown = await this.#shown(call, (await upstream.json()) as Record<string, unknown>, login.who);
    const forbidden = { jsonrpc: '2.0', id, error: { code: -32_003, message: 'forbidden' } };
    return say(upstream.status, shown ?? forbidden);
  }

  #isRefused({ method, params }: Call): boolean {
    if (method !== 'sendTransaction') return false;
    const { messageBytes } = getTransactionDecoder().decode(Buffer.from(String(params[0]), 'base64'));
    const message = getCompiledTransactionMessageDecoder().decode(messageBytes);
    return (
      message.version === 'legacy' && message.instructions.some(({ data }) => data !== undefined && this.refuses(data))
    );
  }

  /** What of an answer somebody may see; undefined: they may not ask this. */
  async #shown(call: Call, answer: Record<string, unknown>, who: Address): Promise<unknown> {
    const { program, authority, upstream } = this.input;
    if (this.obeysPermissions) return leftFor(notPermittedIn(upstream, who), call, answer);
    return who === authority ? answer : leftFor(hiddenOf(program), call, answer);
  }

  async #quote(challenge: Uint8Array): Promise<Uint8Array | undefined> {
    const { maker, otherMaker, key, mrTd } = this.input;
    const kind = this.quotes;
    if (kind === 'none') return undefined;
    if (kind === 'noise') return randomBytes(3_000);
    if (kind === 'replayed' && this.#former !== undefined) return this.#former;
    const whose = kind === 'other-key' ? randomBytes(32) : addressToBytes(key);
    const quote = await (kind === 'other-maker' ? otherMaker : maker).quote({
      reportData: Buffer.concat([challenge, whose]),
      mrTd: kind === 'wrong-measurement' ? randomBytes(48) : mrTd,
      ...(kind === 'debuggable' && { tdAttributes: Buffer.from('0100001000000000', 'hex') }),
    });
    this.#former = quote;
    if (kind === 'good') this.given.push(createHash('sha256').update(quote).digest('hex'));
    return quote;
  }

  async #signIn({ pubkey = '', challenge = '', signature = '' }: Record<string, string>) {
    const isAsked = this.#challenges.get(challenge) === pubkey;
    this.#challenges.delete(challenge);
    if (!isAsked || !this.admits) return undefined;
    const bytes = Uint8Array.from(getBase58Encoder().encode(signature)) as unknown as SignatureBytes;
    const key = await getPublicKeyFromAddress(pubkey as Address);
    if (!(await verifySignature(key, bytes, Buffer.from(challenge, 'utf8')))) return undefined;
    const token = randomBytes(24).toString('base64url');
    const until = Date.now() + this.tokenLifeMs;
    this.#logins.set(token, { who: pubkey as Address, until: until + this.graceMs });
    this.signIns += 1;
    return { token, expiresAt: until };
  }
}
