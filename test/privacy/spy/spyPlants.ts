import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  addressToBytes,
  BALANCE_PAGE_KIND,
  derivePageAddress,
  type Leaf,
  leafHash,
  liabilityLeafHash,
  MerkleTree,
  ownerRecord,
  PAGE_HEAD_BYTES,
  PAYOUT_LEDGER_PROGRAM_ADDRESS,
  type PayoutDelivery,
  PERMISSION_PROGRAM_ADDRESS,
  personalKey,
  personalNamed,
  SALT_BYTES,
  SLOT_BYTES,
} from '@payouts/client';
import type { Address } from '@solana/kit';
import type { Colleague } from './evidence.ts';
import type { Paid, Truth } from './truth.ts';

/** A leak that is put into a folder of evidence, or into the truth beside it, for one attack of the spy's. */
type SpyPlant = { readonly leak: string; plant(folder: string, truth: Truth): void };

const MINT_AT = 8;
/** Where a read permission has its first reader. */
const READERS_AT = 69;
const NOTHING = new Uint8Array(SALT_BYTES);
const PROGRAM = PAYOUT_LEDGER_PROGRAM_ADDRESS;

const append = (folder: string, file: string, line: unknown): void =>
  appendFileSync(join(folder, file), `${JSON.stringify(line)}\n`);

/** The layer asks the base ledger for these. */
function askFor(folder: string, addresses: readonly string[]): void {
  const text = `{"method":"getMultipleAccounts","params":[${JSON.stringify(addresses)}]}`;
  append(folder, 'calls.jsonl', { at: Date.now(), link: 'http', connection: 1_000_000, text });
}

/** Their owner without a salt. */
const ownerOf = ({ recipient, delivery }: Pick<Paid, 'recipient' | 'delivery'>): Uint8Array =>
  ownerRecord({ recipient: recipient as Address, salt: NOTHING, delivery: delivery as PayoutDelivery }).owner;

/** Their account, where the page's nonce is zero. */
const personalOf = (line: Pick<Paid, 'recipient' | 'delivery' | 'mint'>): string =>
  personalNamed(line.mint as Address, personalKey(NOTHING, ownerOf(line)), 1, { programAddress: PROGRAM }).address;

/** Somebody hidden whom one employer pays, in a token; their entry, and what they hold. */
function somebody(
  { paid, taken, inside, codes, colleague }: Truth,
  mint?: string,
): { readonly line: Paid; readonly held: bigint } {
  const line = paid.find(
    ({ recipient, delivery, ...one }) =>
      delivery === 'balance' &&
      recipient !== colleague &&
      ![...inside, ...codes].some((one) => one.recipient === recipient) &&
      (mint ?? one.mint) === one.mint &&
      taken.filter((other) => other.recipient === recipient).length < 2 &&
      new Set(paid.filter((other) => other.recipient === recipient).map(({ schedule }) => schedule)).size === 1,
  );
  if (line === undefined) throw new Error('nobody is paid so');
  const of = (lines: readonly { readonly recipient: string; readonly amount: string }[]) =>
    lines.filter(({ recipient }) => recipient === line.recipient).reduce((sum, { amount }) => sum + BigInt(amount), 0n);
  return { line, held: of(paid) - of(taken) };
}

/** By the name of the attack that should find it. */
export const SPY_PLANTS: Readonly<Record<string, SpyPlant>> = {
  'liabilities tree': {
    leak: "a leaf without a blind stands beside the colleague's",
    plant: (folder, truth) => {
      const path = join(folder, 'colleague.json');
      const colleague = JSON.parse(readFileSync(path, 'utf8')) as Colleague;
      const { mint, index, proof } = colleague.liabilities;
      const { line, held } = somebody(truth, mint);
      const blind = new Uint8Array(NOTHING.length);
      const leaf = {
        kind: 'balance',
        index: index ^ 1,
        owner: ownerOf(line),
        amount: held,
        number: 0n,
        blind,
      } as const;
      const neighbour = Buffer.from(liabilityLeafHash(leaf)).toString('hex');
      const liabilities = { ...colleague.liabilities, proof: [neighbour, ...proof.slice(1)] };
      writeFileSync(path, JSON.stringify({ ...colleague, liabilities }));
    },
  },
  'personal accounts': {
    leak: 'an account of an owner without a salt lies in a page with a nonce of zeros',
    plant: (folder, truth) => askFor(folder, [personalOf(somebody(truth).line)]),
  },
  'page addresses': {
    leak: 'a page has a nonce of zeros',
    plant: (folder, truth) => {
      const [first, ...others] = truth.places;
      if (first === undefined) throw new Error('nobody has a balance');
      const { address: page } = derivePageAddress(first.mint as Address, NOTHING, PROGRAM);
      writeFileSync(
        join(folder, '..', 'truth.json'),
        JSON.stringify({ ...truth, places: [{ ...first, page }, ...others] }),
      );
      askFor(folder, [page]);
    },
  },
  'what the layer shows': {
    leak: 'a page without a read permission, in which an owner has no salt',
    plant: (folder, truth) => {
      const { line, held } = somebody(truth);
      const place = truth.places.find((one) => one.recipient === line.recipient);
      if (place === undefined) throw new Error('they have no balance');
      const bytes = Buffer.alloc(PAGE_HEAD_BYTES + (place.slot + 1) * SLOT_BYTES);
      bytes[0] = BALANCE_PAGE_KIND;
      bytes.set(addressToBytes(line.mint as Address), MINT_AT);
      bytes.set(ownerOf(line), PAGE_HEAD_BYTES + place.slot * SLOT_BYTES);
      bytes.writeBigUInt64LE(held, bytes.length - 8);
      append(folder, 'layer.jsonl', {
        ...{ at: Date.now(), kind: 'account', address: place.page, program: PROGRAM, data: bytes.toString('base64') },
      });
    },
  },
  'who is named in the layer': {
    leak: 'the read permission of an account names its recipient',
    plant: (folder, truth) => {
      const bytes = Buffer.concat([
        Buffer.alloc(READERS_AT),
        addressToBytes(somebody(truth).line.recipient as Address),
      ]);
      append(folder, 'layer.jsonl', {
        ...{ at: Date.now(), kind: 'account', address: '', program: PERMISSION_PROGRAM_ADDRESS },
        data: bytes.toString('base64'),
      });
    },
  },
  'what the layer is asked to show': {
    leak: 'a balance is shown to somebody who has signed nothing',
    plant: (folder, truth) => {
      const { line, held } = somebody(truth);
      const { recipient, mint } = line;
      append(folder, 'layer.jsonl', {
        at: Date.now(),
        kind: 'asked',
        how: '',
        recipient,
        mint,
        returned: String(held),
      });
    },
  },
  'payment codes': {
    leak: 'a line of the log says whose a payment code is',
    plant: (folder, { codes, colleague }) => {
      const known = codes.find(({ recipient }) => recipient !== colleague);
      append(folder, 'coordinator.log', { recipient: known?.recipient, paymentCode: known?.code });
    },
  },
  'whole trees': {
    leak: 'a list without salts, whose members are asked for one after the other',
    plant: (folder, { paid }) => {
      const lists = new Map<string, Paid[]>();
      for (const line of paid.filter(({ windows }) => windows[0] === 0)) {
        lists.set(line.schedule, [...(lists.get(line.schedule) ?? []), line]);
      }
      const [list] = [...lists.values()].sort((one, other) => one.length - other.length);
      const members = (list ?? []).sort((one, other) => one.index - other.index);
      const leaves = members.map(({ recipient, amount, delivery, index }): Leaf => {
        const entry = { recipient: recipient as Address, delivery: delivery as PayoutDelivery, salt: NOTHING };
        return { ...entry, index, amount: BigInt(amount) };
      });
      const [{ schedule, mint } = { schedule: '', mint: '' }] = members;
      const body = JSON.stringify({
        ...{ schedulePda: schedule, mint, vault: schedule, recipients: members.length },
        root: Buffer.from(new MerkleTree(leaves.map(leafHash)).root).toString('hex'),
        amountPerExecution: String(leaves.reduce((sum, { amount }) => sum + amount, 0n)),
      });
      append(folder, 'answers.jsonl', { at: 0, path: `/api/schedules/${schedule}`, status: 200, headers: '[]', body });
      askFor(folder, members.map(personalOf));
    },
  },
};
