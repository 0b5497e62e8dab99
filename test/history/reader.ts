import { fetchSchedule } from '@payouts/client';
import type { Random } from '@payouts/testing/random';
import type { Address, KeyPairSigner } from '@solana/kit';
import { ask, endingOf, ifThere } from './api.ts';
import type { Promised } from './employers.ts';
import type { Attempt, Payment, Receipt, Run } from './events.ts';
import type { Recorder } from './record.ts';
import { NAMES, type Stage } from './stage.ts';

/** Runs and receipts on a page, and entries of a history. */
const PAGE = { least: 1, most: 4 };
const HISTORY_PAGE = 50;

/** Everything that somebody reads, of any coordinator; each returns undefined where there was no answer. */
export class Reader {
  constructor(
    private readonly stage: Stage,
    private readonly recorder: Recorder,
    private readonly random: Random,
  ) {}

  get anyUrl(): string {
    return this.stage.urlOf(this.random.pick(NAMES));
  }

  async balances(key: KeyPairSigner, process: string) {
    const read = async () => {
      type Balances = { readonly balances: readonly { mint: Address; address: Address; amount: string }[] };
      const { body } = await ask<Balances>(`${this.anyUrl}/api/recipients/me/balances`, { signer: key });
      return body.balances.map(({ mint, address, amount }) => ({ mint, address, amount: Number(amount) }));
    };
    const answer = await this.recorder.operation(process, 'balances', { recipient: key.address }, read, endingOf);
    return answer as Awaited<ReturnType<typeof read>> | undefined;
  }

  history(key: KeyPairSigner, process: string): Promise<readonly Payment[] | undefined> {
    type Item = { kind: string; schedulePda: string; window: string; amount: string; known: boolean };
    type Page = { readonly items: readonly Item[]; readonly nextCursor: string | null };
    const read = async () => {
      const pages = this.#pages<Page>('/api/recipients/me/history', HISTORY_PAGE, key);
      const items: Item[] = [];
      for await (const page of pages) items.push(...page.items);
      return items
        .filter(({ kind }) => kind === 'payment')
        .map(
          ({ schedulePda: schedule, window, amount, known }): Payment => ({
            ...{ schedule, window: Number(window) },
            ...{ amount: Number(amount), known },
          }),
        );
    };
    return this.recorder.operation(process, 'history', { recipient: key.address }, read, endingOf);
  }

  receipts({ address }: Promised, key: KeyPairSigner, process: string): Promise<readonly Receipt[] | undefined> {
    type Page = {
      readonly receipts: readonly (Omit<Receipt, 'window' | 'amount'> & { window: string; amount: string })[];
      readonly nextCursor: string | null;
    };
    const read = async () => {
      const found: Receipt[] = [];
      const path = `/api/schedules/${address}/recipients/${key.address}`;
      for await (const { receipts } of this.#pages<Page>(path, PAGE.most, key)) {
        for (const { window, root, index, amount, paid } of receipts)
          found.push({ window: Number(window), root, index, amount: Number(amount), paid });
      }
      return found;
    };
    const asked = { recipient: key.address, schedule: address };
    return this.recorder.operation(process, 'receipts', asked, read, endingOf);
  }

  schedule({ address }: Promised, process: string): Promise<unknown> {
    type View = { window: string; root: string; rootVersion: number; registration: { state: string } };
    const read = () =>
      ifThere(async () => {
        const { body } = await ask<View>(`${this.anyUrl}/api/schedules/${address}`);
        const { window, root, rootVersion, registration } = body;
        return { window: Number(window), root, rootVersion, registered: registration.state === 'registered' };
      });
    return this.recorder.operation(process, 'schedule', { schedule: address }, read, endingOf);
  }

  runs({ address }: Promised, process: string): Promise<readonly Run[] | null | undefined> {
    type Page = { readonly executions: readonly ShownRun[]; readonly nextCursor: string | null };
    const path = `/api/schedules/${address}/executions`;
    const read = () =>
      ifThere(async () => {
        const runs: Run[] = [];
        const pages = this.#pages<Page>(path, this.random.between(PAGE.least, PAGE.most));
        for await (const { executions } of pages) runs.push(...executions.map(runOf));
        return runs;
      });
    return this.recorder.operation(process, 'runs', { schedule: address }, read, endingOf);
  }

  /** As the base ledger itself has it at finalized commitment. */
  final({ address }: Promised, process: string): Promise<unknown> {
    const read = async () => {
      const { base } = this.stage.world.ledgers;
      const { data } = await fetchSchedule(base, address, { commitment: 'finalized' });
      return { window: Number(data.window) };
    };
    return this.recorder.operation(process, 'final', { schedule: address }, read, endingOf);
  }

  /** Pages of so many, each of any coordinator, to the last, or to one that has been before. */
  async *#pages<Page extends { readonly nextCursor: string | null }>(
    path: string,
    limit: number,
    signer?: KeyPairSigner,
  ) {
    const been = new Set<string>();
    for (let cursor: string | null = ''; cursor !== null && !been.has(cursor); ) {
      been.add(cursor);
      const query: string = `?limit=${limit}${cursor === '' ? '' : `&cursor=${cursor}`}`;
      const { body }: { body: Page } = await ask<Page>(`${this.anyUrl}${path}${query}`, signer && { signer });
      yield body;
      cursor = body.nextCursor;
    }
  }
}

type ShownRun = Omit<Run, 'window' | 'paid' | 'total' | 'paidAmount' | 'unpaid' | 'explained' | 'attempts'> & {
  readonly window: string;
  readonly claims: { readonly paid: number; readonly total: number };
  readonly paidAmount: string | null;
  readonly unpaid: { readonly count: number; readonly reasons: Readonly<Record<string, number>> };
  readonly attempts: readonly Attempt[];
};

const runOf = ({
  window,
  state,
  claims,
  paidAmount,
  unpaid,
  createdAt,
  finishedAt,
  errorCode,
  attempts,
}: ShownRun): Run => ({
  ...{ window: Number(window), state, ...claims, createdAt, finishedAt, errorCode },
  paidAmount: paidAmount === null ? null : Number(paidAmount),
  unpaid: unpaid.count,
  explained: Object.values(unpaid.reasons).reduce((sum, count) => sum + count, 0),
  attempts: attempts.map(({ stage, number, outcome }) => ({ stage, number, outcome })),
});
