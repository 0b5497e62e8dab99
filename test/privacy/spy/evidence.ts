import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What the execution layer asked its base ledger for: one piece of a connection's text, as it went by. */
export type Call = {
  readonly at: number;
  readonly link: 'http' | 'websocket';
  readonly connection: number;
  readonly text: string;
};
/** Bytes that passed an encrypted connection: when, from whose address, which way and how many; never which. */
export type Size = {
  readonly at: number;
  readonly link: string;
  readonly connection: number;
  readonly peer: string;
  readonly way: 'there' | 'back';
  readonly bytes: number;
};
/** What passed a connection as it was on the wire, base64. */
export type Traffic = { readonly connection: number; readonly way: 'there' | 'back'; readonly bytes: string };
/** A public answer of the API. */
export type Answer = {
  readonly at: number;
  readonly path: string;
  readonly status: number;
  readonly headers: string;
  readonly body: string;
};
/** A private read: when, from whose address, and how long request and answer were, headers and body. */
export type Read = {
  readonly at: number;
  readonly ms: number;
  readonly peer: string;
  readonly sent: number;
  readonly received: number;
};
/**
 * What the execution layer tells a stranger who has signed in to it and knows everything but keys: an account that it shows them of
 * whatever program, each time that it shows another content; a transaction that they asked for; what came of their asking to be shown
 * somebody's balance, null: nothing. Bytes in base64, amounts decimal.
 */
export type LayerLine =
  | {
      readonly at: number;
      readonly kind: 'account';
      readonly address: string;
      readonly program: string;
      readonly data: string;
    }
  | { readonly at: number; readonly kind: 'transaction'; readonly transaction: string }
  | {
      readonly at: number;
      readonly kind: 'asked';
      readonly how: string;
      readonly recipient: string;
      readonly mint: string;
      readonly returned: string | null;
    };
/** A scrape of the metrics: the lines that none before it had. */
export type Scrape = { readonly at: number; readonly text: string };
/** A transaction of the base ledger with all it shows; from base64: the wire, and each written account's data. */
export type LedgerTransaction = {
  readonly at: number;
  readonly signature: string;
  readonly blockTime: number;
  readonly transaction: string;
  readonly err: unknown;
  readonly logMessages: readonly string[];
  readonly accountKeys: readonly string[];
  readonly preTokenBalances: readonly TokenBalance[];
  readonly postTokenBalances: readonly TokenBalance[];
  readonly accounts: readonly { readonly address: string; readonly data: string }[];
};
type TokenBalance = {
  readonly accountIndex: number;
  readonly mint: string;
  readonly owner: string;
  readonly uiTokenAmount: { readonly amount: string };
};

/**
 * Everybody who may be paid, among them some who are not, every salary there may be, base units, and every payment code that somebody has
 * published. Nobody's salary is told, and nobody's code.
 */
export type Candidates = {
  readonly addresses: readonly string[];
  readonly salaries: readonly string[];
  readonly codes: readonly string[];
};
/** What one recipient has of their own: entry and proof from the API, leaf and proof of the liabilities tree. */
export type Colleague = {
  readonly address: string;
  readonly schedule: string;
  readonly recipients: number;
  readonly index: number;
  readonly amount: string;
  readonly salt: string;
  readonly delivery: string;
  readonly proof: readonly string[];
  readonly liabilities: {
    readonly mint: string;
    readonly leaves: number;
    readonly index: number;
    readonly blind: string;
    readonly proof: readonly string[];
  };
  /** Their own private read, among the others. */
  readonly read: Read;
};

/**
 * Hexadecimal: the service's payload key, what it was changed to, and the secrets from which employers derive salts; PEM: the key of the server before the
 * service. Undefined: not known.
 */
export type Keys = {
  readonly payload?: string;
  readonly later?: string;
  readonly employers?: readonly string[];
  readonly tls?: string;
};
/** Who works for whom, and for how much a window. */
export type Staff = Readonly<Record<'recipient' | 'schedule' | 'amount' | 'delivery', string>>;

type Lines = {
  readonly calls: Call;
  readonly sizes: Size;
  readonly traffic: Traffic;
  readonly answers: Answer;
  readonly reads: Read;
  readonly metrics: Scrape;
  readonly transactions: LedgerTransaction;
  readonly layer: LayerLine;
};
const KNOWN = ['candidates', 'colleague', 'keys', 'staff'] as const;
const LINES = ['calls', 'sizes', 'traffic', 'answers', 'reads', 'metrics', 'transactions', 'layer'] as const;

/**
 * What lies on the service's host. `dump`: of the database; `backup`: what the service's own backup holds, as text; `later`: a dump from after one
 * schedule was forgotten and the payload key changed.
 */
const FILES = {
  log: 'coordinator.log',
  dump: 'dump.sql',
  backup: 'backup.sql',
  later: 'later.sql',
  environment: 'environment',
} as const;
type Files = { readonly [Name in keyof typeof FILES]: Buffer };
type Known = {
  readonly candidates: Candidates;
  readonly colleague: Colleague;
  readonly keys: Keys;
  readonly staff: readonly Staff[];
};

/** All that there is to be seen of a world. */
export type Evidence = { readonly [Name in keyof Lines]: readonly Lines[Name][] } & Files & Known;

const nameOf = <T extends object>(of: T) => Object.keys(of) as (keyof T)[];

/** Writes evidence to a folder. */
export class EvidenceWriter {
  constructor(private readonly folder: string) {}

  note<Name extends keyof Lines>(name: Name, line: Lines[Name]): void {
    appendFileSync(join(this.folder, `${name}.jsonl`), `${JSON.stringify(line)}\n`);
  }

  finish(rest: Files & Known): void {
    for (const name of nameOf(FILES)) writeFileSync(join(this.folder, FILES[name]), rest[name]);
    for (const name of KNOWN) writeFileSync(join(this.folder, `${name}.json`), JSON.stringify(rest[name]));
  }
}

/** Reads a folder of evidence. */
export function readEvidence(folder: string): Evidence {
  const lines = LINES.map((name) => {
    const path = join(folder, `${name}.jsonl`);
    const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
    const parsed = text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as unknown]));
    return [name, parsed] as const;
  });
  const files = nameOf(FILES).map((name) => [name, readFileSync(join(folder, FILES[name]))] as const);
  const known = KNOWN.map((name) => [name, JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8'))] as const);
  return Object.fromEntries<unknown>([...lines, ...files, ...known]) as Evidence;
}
