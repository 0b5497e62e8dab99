import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AdversaryName } from './adversaries.ts';
import type { LedgerTransaction, Read, Traffic } from './evidence.ts';
import type { Truth } from './truth.ts';

/** A leak that is put into a folder of evidence, and the fact that it gives away. */
type Plant = { readonly leak: string; readonly fact: string; plant(folder: string, truth: Truth): void };

const append = (folder: string, file: string, line: unknown): void =>
  appendFileSync(join(folder, file), `${JSON.stringify(line)}\n`);

/** Changes each line of a file. */
function change<T>(folder: string, file: string, to: (line: T, place: number) => T): void {
  const path = join(folder, file);
  const lines = readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '');
  writeFileSync(path, lines.map((line, place) => `${JSON.stringify(to(JSON.parse(line) as T, place))}\n`).join(''));
}

const somebodyHidden = ({ paid, colleague, forgotten }: Truth): string =>
  paid.find((line) => line.delivery === 'balance' && line.recipient !== colleague && line.schedule !== forgotten)
    ?.recipient ?? '';

/** One for each adversary, in something that this one has. */
export const PLANTS: Readonly<Record<AdversaryName, Plant>> = {
  'public-observer': {
    leak: 'an answer of the open API names a recipient',
    fact: 'who is paid',
    plant: (folder, truth) => {
      const body = JSON.stringify({ next: somebodyHidden(truth) });
      append(folder, 'answers.jsonl', { at: 0, path: '/api/health', status: 200, headers: '[]', body });
    },
  },
  'chain-analyst': {
    leak: 'a wallet that took a round part sends it on to an address that is known',
    fact: 'whose a withdrawal of a round part is',
    plant: (folder, { taken }) => {
      const { wallet = '', recipient = '', amount = '' } = taken.find((one) => !one.isCareless && !one.inRound) ?? {};
      const balance = { accountIndex: 0, mint: '', owner: wallet, uiTokenAmount: { amount } };
      append(folder, 'transactions.jsonl', {
        at: 0,
        signature: '',
        blockTime: 0,
        transaction: '',
        err: null,
        logMessages: [],
        accountKeys: [],
        preTokenBalances: [balance],
        postTokenBalances: [{ ...balance, owner: recipient }],
        accounts: [],
      } satisfies LedgerTransaction);
    },
  },
  'network-observer': {
    leak: 'private answers are as long as what they say',
    fact: 'how many digits a pay has, by the length of an answer',
    plant: (folder, { readers }) => {
      // An amount stands in an entry and in a receipt.
      const surplus = ({ amount }: Truth['readers'][number]) => 2 * amount.length;
      change<Read>(folder, 'reads.jsonl', (read, place) => {
        const reader = readers[place];
        return { ...read, received: read.received + (reader === undefined ? 0 : surplus(reader)) };
      });
      const colleague = JSON.parse(readFileSync(join(folder, 'colleague.json'), 'utf8'));
      colleague.read.received += surplus(colleague);
      writeFileSync(join(folder, 'colleague.json'), JSON.stringify(colleague));
    },
  },
  insider: {
    leak: 'the payload key stands in the environment',
    fact: "the service's payload key",
    plant: (folder) => {
      const { payload } = JSON.parse(readFileSync(join(folder, 'keys.json'), 'utf8'));
      appendFileSync(join(folder, 'environment'), `PAYLOAD_KEY=${payload}\0`);
    },
  },
  'insider-with-keys': {
    leak: 'the log has the address of whoever asks',
    fact: 'from which line somebody asks for what is theirs, and when',
    plant: (folder, { readers }) => append(folder, 'coordinator.log', { msg: 'answered', remote: readers[0]?.peer }),
  },
  'future-adversary': {
    leak: 'a connection is not encrypted',
    fact: 'what was said on a recorded connection',
    plant: (folder) =>
      change<Traffic>(folder, 'traffic.jsonl', (piece) => {
        if (piece.connection !== 0) return piece;
        return { ...piece, bytes: Buffer.from('HTTP/1.1 200 OK').toString('base64') };
      }),
  },
};
