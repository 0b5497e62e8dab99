import {
  findVaultAddress,
  type Payslip,
  payslipFaults,
  payslipFromJson,
  payslipToJson,
  prepareList,
} from '@payouts/client';
import { convertedIn, listText } from '@payouts/employer';
import type { SignText } from '@payouts/pages/session/session';
import { readPayslip } from '@payouts/statements';
import { generateKeyPairSigner, signBytes } from '@solana/kit';
import { type FileEntry, Uint8ArrayReader, Uint8ArrayWriter, ZipReader } from '@zip.js/zip.js/lib/zip-core-native.js';
import { expect, it } from 'vitest';
import { type MadeWindow, payslipOf, settledWindow } from '../../client/test/payslips.ts';
import { randomAddress, randomLeaves } from '../../client/test/support.ts';
import { type MadeArchive, payslipArchive } from '../src/employer/payslipArchive.ts';

const MADE_AT = 1_796_025_604_000;

async function windows(counts: readonly number[]): Promise<MadeWindow[]> {
  const by = await generateKeyPairSigner();
  const place = { schedule: randomAddress(), vault: randomAddress(), mint: randomAddress() };
  const made: MadeWindow[] = [];
  for (const [number, count] of counts.entries()) {
    made.push(await settledWindow(randomLeaves(count), { place: { ...place, window: BigInt(number) }, by }));
  }
  return made;
}

type How = {
  readonly paid?: readonly number[];
  readonly notes?: Parameters<typeof payslipArchive>[0]['notes'];
  readonly sign?: SignText;
};

/** An archive of payslips that come some lines at a time, as the coordinator sends them; `paid`: to how many each window has paid. */
function archiveOf(
  payslips: readonly (readonly Payslip[])[],
  pdf: boolean,
  { paid = payslips.map(({ length }) => length), notes, sign = async (text) => text }: How = {},
): Promise<MadeArchive> {
  const left = payslips.map((own) => own.map((payslip) => `${JSON.stringify(payslipToJson(payslip))}\n`));
  const next = async (window: string) => {
    const lines = left[Number(window)]?.splice(0, 2).join('');
    return lines === '' ? undefined : lines;
  };
  const wanted = paid.map((each, window) => ({ window: String(window), paid: each }));
  const wish = { windows: wanted, pdf, madeAt: MADE_AT, notes };
  return payslipArchive(wish, next, () => {}, sign);
}

const all = (window: MadeWindow): Payslip[] => window.leaves.map(({ index }) => payslipOf(window, index));

async function filesIn(made: MadeArchive): Promise<Map<string, Uint8Array>> {
  if (made.kind !== 'archive') throw new Error(made.sentence);
  const reader = new ZipReader(new Uint8ArrayReader(new Uint8Array(await made.archive.arrayBuffer())), {
    useWebWorkers: false,
    checkSignature: true,
  });
  const entries = (await reader.getEntries()) as FileEntry[];
  const read = entries.map(async (entry) => [entry.filename, await entry.getData(new Uint8ArrayWriter())] as const);
  return new Map(await Promise.all(read));
}

const text = (bytes: Uint8Array | undefined): string => new TextDecoder().decode(bytes);

it('holds every payslip of every pay run, as file and page, and their totals', async () => {
  const made = await windows([3, 2]);
  const files = await filesIn(await archiveOf(made.map(all), true));
  expect(files.size).toBe(2 * (3 + 2) + 2 * 2);
  const file = files.get('window-1/window-1-00001.json');
  expect(payslipFromJson(JSON.parse(text(file)))).toEqual(payslipOf(made[1] as MadeWindow, 1));
  const page = files.get('window-0/window-0-00002.pdf') as Uint8Array;
  expect((await readPayslip(page)).page).toBe('same');
  const lines = text(files.get('window-0/totals.csv')).trim().split('\n');
  expect(lines).toHaveLength(1 + 3 + 2);
});

it('is not made when a payslip is missing, of somebody else’s making, or of another pay run', async () => {
  const [one, other] = (await windows([3, 3])) as [MadeWindow, MadeWindow];
  const [first, second, third] = all(one) as [Payslip, Payslip, Payslip];
  const changed = { ...second, leaf: { ...second.leaf, amount: second.leaf.amount + 1n } };
  const cases = [
    [[first, third], /do not add up/],
    [[first, changed, third], /Payslip 2 is not sound/],
    [[first, second, payslipOf(other, 2)], /different windows/],
  ] as const;
  for (const [payslips, sentence] of cases) {
    expect(await archiveOf([payslips], false)).toEqual({ kind: 'refused', sentence: expect.stringMatching(sentence) });
  }
  const none = await archiveOf([[]], false, { paid: [3] });
  expect(none).toEqual({ kind: 'refused', sentence: 'The coordinator has not given all payslips of pay run 0.' });
});

it('has the employer’s note on what their copy of the list says is in a currency, and on nothing else', async () => {
  const employer = await generateKeyPairSigner();
  const [schedule, mint] = [randomAddress(), randomAddress()];
  const converted = { currency: 'EUR', amount: '2000', rate: '1.0834', source: 'ECB 2026-11-27' };
  const lines = [
    { recipient: randomAddress(), amount: 2_166_800_000n, converted },
    { recipient: randomAddress(), amount: 5_000_000n },
  ];
  const list = prepareList(lines);
  const place = { schedule, mint, vault: await findVaultAddress(employer.address, mint) };
  const window = await settledWindow(list.recipients, { place: { ...place, window: 0n } });
  const copy = listText(schedule, { ...list, names: new Map(), converted: convertedIn(list, lines) });
  const sign: SignText = (content) => signBytes(employer.keyPair.privateKey, content);
  const notesOf = (text: string, who = employer.address) => ({
    employer: who,
    copies: [new File([text], 'copy.json')],
  });
  const made = await archiveOf([all(window)], false, { notes: notesOf(copy), sign });
  expect(made).toMatchObject({ kind: 'archive', notes: 1 });
  const files = await filesIn(made);
  const payslips = [...files].filter(([name]) => name.endsWith('.json'));
  const read = payslips.map(([, bytes]) => payslipFromJson(JSON.parse(text(bytes))));
  for (const payslip of read) {
    expect(await payslipFaults(payslip)).toEqual([]);
    const isEuros = payslip.leaf.recipient === lines[0]?.recipient;
    expect(payslip.note).toEqual(isEuros ? expect.objectContaining(converted) : undefined);
  }
  expect(read).toHaveLength(2);
  const stranger = notesOf(copy, randomAddress());
  expect(await archiveOf([all(window)], false, { notes: stranger, sign })).toMatchObject({ notes: 0 });
  expect(await archiveOf([all(window)], false, { notes: notesOf('{}'), sign })).toMatchObject({
    kind: 'refused',
    sentence: expect.stringMatching(/^The list in copy\.json can't be read/),
  });
});
