import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What the execution layer asked its base ledger for: one piece of a connection's text, as it went by. */
export type Call = {
  readonly at: number;
  readonly link: 'http' | 'websocket';
  readonly connection: number;
  readonly text: string;
};
/** Bytes that passed an encrypted connection: when, which way and how many; never which. */
export type Size = {
  readonly at: number;
  readonly link: string;
  readonly connection: number;
  readonly way: 'there' | 'back';
  readonly bytes: number;
};
/** A public answer of the API. */
export type Answer = {
  readonly at: number;
  readonly path: string;
  readonly status: number;
  readonly headers: string;
  readonly body: string;
};
/** A private read: when, and how long request and answer were, headers and body. */
export type Read = { readonly at: number; readonly ms: number; readonly sent: number; readonly received: number };
/** A scrape of the metrics. */
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

/** Everybody who may be paid, among them some who are not, and every salary there may be, base units. Nobody's salary is told. */
export type Candidates = { readonly addresses: readonly string[]; readonly salaries: readonly string[] };
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

type Lines = {
  readonly calls: Call;
  readonly sizes: Size;
  readonly answers: Answer;
  readonly reads: Read;
  readonly metrics: Scrape;
  readonly transactions: LedgerTransaction;
};
const LINES = ['calls', 'sizes', 'answers', 'reads', 'metrics', 'transactions'] as const;

/** All that a spy is given. */
export type Evidence = { readonly [Name in keyof Lines]: readonly Lines[Name][] } & {
  readonly log: Buffer;
  readonly dump: Buffer;
  readonly candidates: Candidates;
  readonly colleague: Colleague;
};

const LOG = 'coordinator.log';
const DUMP = 'dump.sql';

/** Writes evidence to a folder. */
export class EvidenceWriter {
  constructor(private readonly folder: string) {}

  note<Name extends keyof Lines>(name: Name, line: Lines[Name]): void {
    appendFileSync(join(this.folder, `${name}.jsonl`), `${JSON.stringify(line)}\n`);
  }

  finish(rest: Pick<Evidence, 'log' | 'dump' | 'candidates' | 'colleague'>): void {
    writeFileSync(join(this.folder, LOG), rest.log);
    writeFileSync(join(this.folder, DUMP), rest.dump);
    for (const name of ['candidates', 'colleague'] as const) {
      writeFileSync(join(this.folder, `${name}.json`), JSON.stringify(rest[name]));
    }
  }
}

/** Reads a folder of evidence. */
export function readEvidence(folder: string): Evidence {
  const json = (name: string): unknown => JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8'));
  const lines = LINES.map((name) => {
    const path = join(folder, `${name}.jsonl`);
    const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
    const parsed = text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as unknown]));
    return [name, parsed] as const;
  });
  return {
    ...Object.fromEntries(lines),
    log: readFileSync(join(folder, LOG)),
    dump: readFileSync(join(folder, DUMP)),
    candidates: json('candidates'),
    colleague: json('colleague'),
  } as Evidence;
}
