import { PayrollError, readNames, readPayroll } from '@payouts/payroll';
import { readPaymentFile } from '@payouts/payroll/paymentFile';
import { type Address, generateKeyPairSigner } from '@solana/kit';
import { beforeAll, describe, expect, it } from 'vitest';

let one: Address;
let two: Address;

beforeAll(async () => {
  one = (await generateKeyPairSigner()).address;
  two = (await generateKeyPairSigner()).address;
});

const bytesOf = (text: string) => new TextEncoder().encode(text);
const account = (inner: string) => `<CdtrAcct>${inner}</CdtrAcct>`;
const othr = (address: string) => account(`<Id><Othr><Id>${address}</Id></Othr></Id>`);
const prxy = (address: string, short = address.slice(0, 34)) =>
  account(`<Id><Othr><Id>${short}</Id></Othr></Id><Prxy><Id>${address}</Id></Prxy>`);

const payment = (to: string, amount: string, { currency = 'USD', name = 'Ada', id = 'p-1' } = {}) =>
  `<CdtTrfTxInf><PmtId><EndToEndId>${id}</EndToEndId></PmtId><Amt><InstdAmt Ccy="${currency}">${amount}</InstdAmt></Amt>
<Cdtr><Nm>${name}</Nm></Cdtr>${to}<RmtInf><Ustrd>November</Ustrd></RmtInf></CdtTrfTxInf>`;

const group = (payments: string, { head = '', day = '<Dt>2026-11-30</Dt>' } = {}) =>
  `<PmtInf><PmtInfId>group</PmtInfId><PmtMtd>TRF</PmtMtd>${head}<ReqdExctnDt>${day}</ReqdExctnDt>
<Dbtr><Nm>Example</Nm></Dbtr><DbtrAcct><Id><Othr><Id>vault</Id></Othr></Id></DbtrAcct>${payments}</PmtInf>`;

type Shape = { readonly kind?: string; readonly head?: string; readonly declared?: string; readonly before?: string };

function file(groups: string, { kind = 'pain.001.001.09', head = '', declared = 'UTF-8', before = '' }: Shape = {}) {
  return `<?xml version="1.0" encoding="${declared}"?>
${before}<Document xmlns="urn:iso:std:iso:20022:tech:xsd:${kind}"><CstmrCdtTrfInitn>
<GrpHdr><MsgId>message</MsgId><CreDtTm>2026-11-27T00:00:00Z</CreDtTm>${head}</GrpHdr>
${groups}</CstmrCdtTrfInitn></Document>`;
}

const read = (content: Uint8Array | string) => readPayroll(content, { decimals: 6, token: 'USDC' });

/** What is wrong with a file: line and code. */
async function wrongIn(content: Uint8Array | string): Promise<string[]> {
  const error: unknown = await read(content).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(PayrollError);
  return (error as PayrollError).problems.map(({ code, line }) => `${line ?? '-'} ${code}`);
}

describe('a payment file', () => {
  it('is a payroll: recipients, amounts to the unit, and names, in every version and with any prefix', async () => {
    const text = file(
      group(payment(prxy(one), '1250.50') + payment(othr(two), '250.125', { name: 'Björn &amp; Co' })),
      {
        head: '<NbOfTxs>2</NbOfTxs><CtrlSum>1500.625</CtrlSum>',
      },
    );
    const prefixed = text.replaceAll(/<(\/?)(?=[A-Z])/g, '<$1p:').replace('xmlns=', 'xmlns:p=');
    const old = text.replace('pain.001.001.09', 'pain.001.001.03').replace('<Dt>2026-11-30</Dt>', '2026-11-30');
    for (const content of [text, prefixed, old, bytesOf(text), bytesOf(`\uFEFF${text}`)]) {
      const { lines, names, total, doubts } = await read(content);
      expect(lines.map(({ recipient, amount }) => [recipient, amount])).toEqual([
        [one, 1_250_500_000n],
        [two, 250_125_000n],
      ]);
      expect(total).toBe(1_500_625_000n);
      expect([...names]).toEqual([
        [one, 'Ada'],
        [two, 'Björn & Co'],
      ]);
      expect(doubts).toEqual([]);
      expect(await readNames(content)).toContainEqual([two, { name: 'Björn & Co' }]);
    }
  });

  it('keeps what a report of it has to repeat', async () => {
    const groups = group(payment(prxy(one), '1', { id: 'a' })) + group(payment(prxy(two), '2', { id: 'b' }));
    expect(await readPaymentFile(file(groups))).toMatchObject({
      kind: 'pain.001.001.09',
      messageId: 'message',
      groups: ['group', 'group'],
      currency: 'USD',
      payments: [
        { group: 0, endToEndId: 'a', recipient: one, reference: 'November' },
        { group: 1, endToEndId: 'b', recipient: two, amount: '2' },
      ],
    });
  });

  it('is asked about when it names another currency than the token’s', async () => {
    const { doubts } = await read(file(group(payment(prxy(one), '1', { currency: 'EUR' }))));
    expect(doubts.map(({ code }) => code)).toEqual(['amount-currency']);
  });

  it('says in which line something is wrong with a payment, and what an IBAN is', async () => {
    const iban = account('<Id><IBAN>DE89370400440532013000</IBAN></Id>');
    const text = file(group(`${payment(iban, '1')}\n${payment(prxy(one), '0.0000001')}`));
    const lineOf = (part: string) => text.slice(0, text.indexOf(part)).split('\n').length;
    const error = await read(text).catch((thrown: PayrollError) => thrown);
    const first = lineOf('<CdtTrfTxInf>');
    expect((error as PayrollError).problems).toMatchObject([
      { code: 'recipient-invalid', line: first, message: expect.stringContaining('IBAN') },
      { code: 'amount-decimals', line: first + 2 },
    ]);
  });
});

describe('a payment file is refused, with its own code', () => {
  const one1 = () => group(payment(prxy(one), '1'));

  it('that has entities, is endless, or would have other files read', async () => {
    const bomb = '<!DOCTYPE Document [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;&a;">]>\n';
    const thief = '<!DOCTYPE Document SYSTEM "file:///etc/passwd">\n';
    for (const before of [bomb, thief]) {
      expect(await wrongIn(file(one1(), { before }))).toEqual([expect.stringMatching(/^\d+ payment-file-entities$/)]);
    }
    expect(await wrongIn(file(group(payment(prxy(one), '&amount;'))))).toEqual([
      expect.stringMatching(/^\d+ payment-file-damaged$/),
    ]);
  });

  it('that is as large as 100 MB', async () => {
    const content = new Uint8Array(100_000_000).fill(0x20);
    content.set(bytesOf(file(one1())));
    expect(await wrongIn(content)).toEqual(['- payment-file-too-large']);
  });

  it('that is in another encoding, says so, or has bytes of one', async () => {
    const text = file(one1());
    const wide = (littleEndian: boolean, mark: string) => {
      const view = new DataView(new ArrayBuffer((text.length + mark.length) * 2));
      for (const [at, letter] of [...(mark + text)].entries())
        view.setUint16(at * 2, letter.charCodeAt(0), littleEndian);
      return new Uint8Array(view.buffer);
    };
    const latin = bytesOf(file(group(payment(prxy(one), '1', { name: 'Bj?rn' })))).map((byte) =>
      byte === 0x3f ? 0xf6 : byte,
    );
    latin.set(bytesOf('<?xml version="1.0" encoding="UTF-8"?>'));
    const others = [
      wide(true, '\uFEFF'),
      wide(false, '\uFEFF'),
      wide(true, ''),
      wide(false, ''),
      bytesOf(file(one1(), { declared: 'ISO-8859-1' })),
      bytesOf(file(one1(), { declared: 'UTF-16' })),
      latin,
    ];
    for (const content of others) expect(await wrongIn(content)).toEqual(['- payment-file-encoding']);
    await expect(read(wide(true, '\uFEFF'))).rejects.toThrow('is in UTF-16');
  });

  it('that is cut off, nested without end, or another message', async () => {
    const text = file(one1());
    for (const end of [20, text.length / 2, text.length - 3]) {
      expect(await wrongIn(text.slice(0, end))).toEqual([expect.stringMatching(/^\d+ payment-file-damaged$/)]);
    }
    expect(await wrongIn(file('<A>'.repeat(100)))).toEqual([expect.stringMatching(/^\d+ payment-file-damaged$/)]);
    for (const kind of ['pain.008.001.02', 'camt.053.001.08']) {
      expect(await wrongIn(file(one1(), { kind }))).toEqual(['- payment-file-unknown']);
    }
    expect(await wrongIn('<html><body>Sign in</body></html>')).toEqual(['- payment-file-unknown']);
    expect(await wrongIn(file(''))).toEqual(['- no-recipients']);
  });

  it('that contradicts itself', async () => {
    const two2 = group(payment(prxy(one), '1') + payment(prxy(two), '2.5'), {
      head: '<NbOfTxs>2</NbOfTxs><CtrlSum>3.5</CtrlSum>',
    });
    expect((await read(file(two2, { head: '<NbOfTxs>2</NbOfTxs><CtrlSum>3.50</CtrlSum>' }))).total).toBe(3_500_000n);
    expect(await wrongIn(file(two2, { head: '<NbOfTxs>3</NbOfTxs><CtrlSum>3.5</CtrlSum>' }))).toEqual([
      '3 payment-file-count',
    ]);
    expect(await wrongIn(file(two2, { head: '<NbOfTxs>2</NbOfTxs><CtrlSum>3.500001</CtrlSum>' }))).toEqual([
      '3 payment-file-sum',
    ]);
    const wrongGroup = two2.replace('<NbOfTxs>2', '<NbOfTxs>1').replace('<CtrlSum>3.5', '<CtrlSum>3.4');
    expect(await wrongIn(file(wrongGroup))).toEqual(['4 payment-file-count', '4 payment-file-sum']);
  });

  it('that asks for what no payroll is: several currencies or days, cheques, amounts to be converted', async () => {
    const euros = group(payment(prxy(one), '1') + payment(prxy(two), '2', { currency: 'EUR' }));
    const days = one1() + group(payment(prxy(two), '2'), { day: '<Dt>2026-12-01</Dt>' });
    const cheques = one1().replace('TRF', 'CHK');
    const converted = one1().replace(
      /<InstdAmt.*<\/InstdAmt>/,
      '<EqvtAmt><Amt Ccy="USD">1</Amt><CcyOfTrf>EUR</CcyOfTrf></EqvtAmt>',
    );
    const nameless = group(payment(prxy(one), '1', { currency: '' }));
    const comma = group(payment(prxy(one), '1,250'));
    const found = await Promise.all(
      [euros, days, cheques, converted, nameless, comma].map((each) => wrongIn(file(each))),
    );
    expect(found.flat().map((each) => each.replace(/^\d+ /, ''))).toEqual([
      'payment-file-currencies',
      'payment-file-days',
      'payment-file-cheques',
      'payment-file-converted',
      'payment-file-currencies',
      'amount-invalid',
    ]);
  });

  it('without a word of what it says of anybody', async () => {
    const secret = 'Top Secret';
    const broken = [
      file(group(payment(prxy(one), '777.77', { name: secret }))).slice(0, -5),
      file(group(payment(othr('wrong'), '777.77', { name: secret }))),
      file(group(payment(prxy(one), '777,77', { name: secret }))),
    ];
    for (const content of broken) {
      const error = await read(content).catch((thrown: Error) => thrown);
      for (const word of [secret, '777', one, 'wrong']) expect((error as Error).message).not.toContain(word);
    }
  });
});
