import { listFromRecipients, prepareList, type Schedule } from '@payouts/client';
import type { Address, MessagePartialSigner } from '@solana/kit';
import { generateKeyPairSigner } from '@solana/kit';
import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import {
  compared,
  comparisonSentences,
  Failure,
  listFileName,
  listFrom,
  listOf,
  listText,
  type ProposedLists,
  proposalFrom,
  proposalText,
  SALTS_TEXT,
  saltsSecret,
  unusualNewcomers,
} from '../src/index.ts';

const TOKEN = { name: 'USDC', decimals: 6, mint: 'So11111111111111111111111111111111111111112', program: '' } as never;
const MINT = 'So11111111111111111111111111111111111111112' as Address;

let people: Address[];
let schedule: Address;

beforeAll(async () => {
  const keys = await Promise.all(Array.from({ length: 12 }, () => generateKeyPairSigner()));
  [schedule, ...people] = keys.map(({ address }) => address) as [Address, ...Address[]];
});

const pays = (amounts: readonly bigint[], from = 0) =>
  amounts.map((amount, at) => ({ recipient: people[from + at] as Address, amount }));

it('gives a recipient the same salt in each list of the same employer and token, and other employers other ones', async () => {
  const [employer, other] = await Promise.all([generateKeyPairSigner(), generateKeyPairSigner()]);
  const asked: string[] = [];
  const noting = (signer: MessagePartialSigner): MessagePartialSigner => ({
    address: signer.address,
    signMessages: (messages) => {
      asked.push(...messages.map(({ content }) => new TextDecoder().decode(content)));
      return signer.signMessages(messages);
    },
  });
  const saltsBy = async (signer: MessagePartialSigner | undefined) => {
    const secret = signer && (await saltsSecret(noting(signer)));
    const { recipients } = listOf(pays([1n, 2n, 3n]), MINT, secret);
    return new Map(recipients.map(({ recipient, salt }) => [recipient, Buffer.from(salt).toString('hex')]));
  };
  expect(await saltsBy(employer)).toEqual(await saltsBy(employer));
  for (const another of [other, undefined]) expect(await saltsBy(another)).not.toEqual(await saltsBy(employer));
  expect(new Set(asked)).toEqual(new Set([SALTS_TEXT]));
});

it('warns of whoever is new and gets twice the usual or more, and of nobody else', () => {
  const amount = fc.bigInt({ min: 1n, max: 1_000_000n });
  fc.assert(
    fc.property(fc.array(amount, { minLength: 1, maxLength: 5 }), fc.array(amount, { maxLength: 5 }), (now, fresh) => {
      const comparison = compared(pays(now), [...pays(now), ...pays(fresh, 5)], new Map());
      const usual = [...now].sort((one, other) => (one < other ? -1 : 1))[Math.floor(now.length / 2)] as bigint;
      const expected = pays(fresh, 5).filter((each) => each.amount >= 2n * usual);
      expect(unusualNewcomers(comparison)).toEqual(expected);
      expect(comparisonSentences(comparison, TOKEN)).toHaveLength(expected.length > 0 ? 2 : 1);
    }),
  );
});

it('reads a copy of a list as it was, and says where one can’t be read', () => {
  const list = prepareList(pays([5n, 6n, 7n]));
  const names = new Map(list.recipients.map(({ recipient, index }) => [recipient, `Person ${index}`]));
  const read = listFrom(listText(schedule, { ...list, names }), 'copy.json');
  expect(read.names).toEqual(names);
  expect(read.root).toEqual(list.root);
  expect(read.recipients).toEqual(list.recipients);
  expect(listFileName(schedule, list.root)).toBe(`${schedule}-${Buffer.from(list.root).toString('hex')}.json`);
  for (const text of ['', '{}', '[1]', '{"recipients":[{}]}']) {
    expect(() => listFrom(text, 'copy.json')).toThrow(/^The list in copy\.json can't be read: /);
  }
});

it('takes a proposal whose list is the one that waits, and no other', () => {
  const [present, list] = [prepareList(pays([5n, 6n])), prepareList(pays([5n, 7n, 8n]))];
  const onLedger = { root: present.root } as unknown as Schedule;
  const proposal = { root: list.root, amount: list.total, recipients: 3 } as never;
  const names = new Map([[people[0] as Address, 'Ada Example']]);
  const from = (text: string) => proposalFrom(text, { where: 'proposal.json', schedule: onLedger, proposal });
  const lists = from(proposalText([[schedule, { list, present, names }]]));
  expect(lists.list.root).toEqual(list.root);
  expect(lists.present?.root).toEqual(present.root);
  expect(lists.names).toEqual(names);
  // The employer's own copy does, too, and has no current list; nor has a schedule that is not on the ledger yet.
  expect(from(listText(schedule, { ...list, names }))).toMatchObject({ list: { root: list.root }, present: undefined });
  const before = { where: 'copy.json', schedule: undefined, proposal };
  expect(proposalFrom(proposalText([[schedule, { list, present, names }]]), before).present).toBeUndefined();
  // One file may propose several: each finds its own.
  const others: readonly (readonly [Address, ProposedLists])[] = [
    [people[5] as Address, { list: present, present: undefined, names }],
  ];
  const several = from(proposalText([...others, [schedule, { list, present, names }]]));
  expect(several.list.root).toEqual(list.root);

  // Compared with anything else than what is paid now, it would show changes that are none.
  const other = prepareList(pays([9n]));
  expect(from(proposalText([[schedule, { list, present: other, names }]])).present).toBeUndefined();
  const swapped = listFromRecipients(list.recipients.map((each) => ({ ...each, recipient: people[9] as Address })));
  for (const forged of [other, swapped]) {
    const refused = () => from(proposalText([[schedule, { list: forged, present, names }]]));
    expect(refused).toThrow(Failure);
    expect(refused).toThrow(/does not rebuild its root/);
  }
});
