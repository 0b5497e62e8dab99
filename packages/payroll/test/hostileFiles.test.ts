import { PayrollError, readPayroll } from '@payouts/payroll';
import { type Address, generateKeyPairSigner } from '@solana/kit';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { packed, partsOf, workbookOf } from './workbooks.ts';

const MEGABYTE = 1_048_576;

let one: Address;
let two: Address;

beforeAll(async () => {
  one = (await generateKeyPairSigner()).address;
  two = (await generateKeyPairSigner()).address;
});

const payroll = () => ({
  sheets: [
    {
      rows: [
        ['recipient', 'amount'],
        [one, 1250.5],
      ],
    },
  ],
});
const read = (content: Uint8Array | string) => readPayroll(content, { decimals: 6 });

async function codeOf(content: Uint8Array): Promise<string> {
  const error: unknown = await read(content).then(
    () => 'read',
    (thrown: unknown) => thrown,
  );
  return error instanceof PayrollError ? (error.problems[0]?.code as string) : String(error);
}

/** Puts another number wherever an archive has this one. */
function replaced(archive: Uint8Array, number: number, other: number): Uint8Array {
  const copy = archive.slice();
  const view = new DataView(copy.buffer);
  let count = 0;
  for (let at = 0; at + 4 <= copy.length; at++) {
    if (view.getUint32(at, true) !== number) continue;
    view.setUint32(at, other, true);
    count += 1;
  }
  expect(count).toBeGreaterThan(0);
  return copy;
}

/** An archive of so many parts that are empty. */
function emptyParts(count: number): Uint8Array {
  const parts = Array.from({ length: count }, (_, at) => Buffer.from(`part${String(at).padStart(6, '0')}`));
  const head = (signature: number, size: number, fields: readonly (readonly [number, number])[]) => {
    const bytes = Buffer.alloc(size);
    bytes.writeUInt32LE(signature);
    for (const [at, value] of fields) bytes.writeUInt16LE(value, at);
    return bytes;
  };
  const files = Buffer.concat(
    parts.flatMap((name) => [
      head(0x04034b50, 30, [
        [4, 20],
        [26, name.length],
      ]),
      name,
    ]),
  );
  const entries = parts.map((name, at) => {
    const entry = head(0x02014b50, 46, [
      [4, 20],
      [6, 20],
      [28, name.length],
    ]);
    entry.writeUInt32LE(at * (30 + name.length), 42);
    return Buffer.concat([entry, name]);
  });
  const directory = Buffer.concat(entries);
  const end = head(0x06054b50, 22, [
    [8, count],
    [10, count],
  ]);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(files.length, 16);
  return new Uint8Array(Buffer.concat([files, directory, end]));
}

const utf16 = (text: string) => [...text].flatMap((letter) => [letter.charCodeAt(0), 0]);
const ole = (...more: readonly number[]) =>
  new Uint8Array([0xd0, 0xcf, 0x11, 0xe0, ...new Array(600).fill(0), ...more]);

/** With room in front of its first part for changes in place, as Excel leaves it. */
function withRoom(archive: Uint8Array): Uint8Array {
  const room = Buffer.alloc(264);
  for (const [at, value] of [0xa220, 260, 0xa028, 256].entries()) room.writeUInt16LE(value, 2 * at);
  const old = Buffer.from(archive);
  const begins = 30 + old.readUInt16LE(26) + old.readUInt16LE(28);
  const moved = Buffer.concat([old.subarray(0, begins), room, old.subarray(begins)]);
  moved.writeUInt16LE(old.readUInt16LE(28) + room.length, 28);
  const end = moved.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'));
  moved.writeUInt32LE(moved.readUInt32LE(end + 16) + room.length, end + 16);
  for (let at = moved.readUInt32LE(end + 16); at < end; ) {
    const offset = moved.readUInt32LE(at + 42);
    if (offset > 0) moved.writeUInt32LE(offset + room.length, at + 42);
    at += 46 + moved.readUInt16LE(at + 28) + moved.readUInt16LE(at + 30) + moved.readUInt16LE(at + 32);
  }
  return new Uint8Array(moved);
}

it('an archive is read as Excel packs it, and as programs do that write it in one go', async () => {
  expect(await codeOf(withRoom(await workbookOf(payroll())))).toBe('read');
  for (const dataDescriptor of [true, false]) {
    expect(await codeOf(await packed(partsOf(payroll()), { dataDescriptor }))).toBe('read');
  }
});

describe('a file that was made to do harm, or for something else, is refused', () => {
  it('an archive that says it unpacks to gigabytes', async () => {
    const parts = { ...partsOf(payroll()), 'xl/media/image1.png': 'x'.repeat(123_457) };
    expect(await codeOf(await packed(parts))).toBe('read');
    expect(await codeOf(replaced(await packed(parts), 123_457, 3 * 1_024 * MEGABYTE))).toBe('workbook-too-large');
  });

  it('an archive that unpacks to far more than it says, before it has', async () => {
    const parts = partsOf(payroll());
    const strings = (parts['xl/sharedStrings.xml'] as string).replace('<si>', `${' '.repeat(2 * MEGABYTE)}<si>`);
    const archive = await packed({ ...parts, 'xl/sharedStrings.xml': strings }, { level: 1 });
    expect(await codeOf(archive)).toBe('read');
    expect(await codeOf(replaced(archive, strings.length, 2_000))).toBe('workbook-damaged');
  });

  it('an archive of very many parts', async () => {
    expect(await codeOf(emptyParts(1_024))).toBe('not-workbook');
    expect(await codeOf(emptyParts(1_025))).toBe('workbook-too-large');
  });

  it('two parts of one name', async () => {
    const archive = await packed({ ...partsOf(payroll()), 'XL/workbook.xml': '<x/>' });
    expect(await codeOf(archive)).toBe('workbook-damaged');
  });

  it('encrypted parts, an encrypted workbook, and one of an older kind', async () => {
    expect(await codeOf(await packed(partsOf(payroll()), { password: 'x', zipCrypto: true }))).toBe(
      'workbook-encrypted',
    );
    expect(await codeOf(ole(...utf16('EncryptedPackage')))).toBe('workbook-encrypted');
    expect(await codeOf(ole())).toBe('workbook-old');
  });

  it('a workbook with macros', async () => {
    const archive = await workbookOf(payroll(), (parts) => ({
      ...parts,
      '[Content_Types].xml': (parts['[Content_Types].xml'] as string).replace(
        'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml',
        'application/vnd.ms-excel.sheet.macroEnabled.main+xml',
      ),
    }));
    expect(await codeOf(archive)).toBe('workbook-macros');
  });

  it('a document, another archive and half a workbook', async () => {
    const archive = await workbookOf(payroll(), (parts) => ({
      ...parts,
      '[Content_Types].xml': (parts['[Content_Types].xml'] as string).replace('spreadsheetml', 'wordprocessingml'),
    }));
    expect(await codeOf(archive)).toBe('not-workbook');
    expect(await codeOf(await packed({ mimetype: 'application/vnd.oasis.opendocument.spreadsheet' }))).toBe(
      'not-workbook',
    );
    expect(await codeOf((await workbookOf(payroll())).subarray(0, 900))).toBe('workbook-damaged');
    const { 'xl/worksheets/sheet1.xml': _, ...parts } = partsOf(payroll());
    expect(await codeOf(await packed(parts))).not.toBe('read');
  });

  it.each([
    ['entities that multiply', '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;">]>', '&b;'],
    ['an entity from a file', '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/hostname">]>', '&a;'],
    ['an entity that nobody defines', '', '&a;'],
    ['elements that never end', '', '<t>'.repeat(100)],
    ['elements without an end', '', '<t>'],
  ])('%s', async (_, doctype, content) => {
    const archive = await workbookOf(payroll(), (parts) => ({
      ...parts,
      'xl/sharedStrings.xml': (parts['xl/sharedStrings.xml'] as string)
        .replace('<sst', `${doctype}<sst`)
        .replace('recipient', content),
    }));
    expect(await codeOf(archive)).toBe('workbook-damaged');
  });
});

describe('nothing is ever misread', () => {
  /** What is paid, by a file as it is and by one that was changed; undefined: it is refused, or asked about. */
  async function paidBy(content: Uint8Array | string): Promise<readonly unknown[] | undefined> {
    try {
      const { lines, doubts } = await read(content);
      return doubts.length > 0 ? undefined : lines.map(({ recipient, amount }) => [recipient, amount]);
    } catch (error) {
      expect(error).toBeInstanceOf(PayrollError);
      return undefined;
    }
  }

  it('whatever bytes of a workbook are changed, cut off or doubled: it says the same, or is refused', async () => {
    // As it is stored, the amount can be seen, and half of the changes are made to it.
    const archive = await packed(partsOf(payroll()), { level: 0 });
    const amountAt = Buffer.from(archive).indexOf('1250.5');
    const paid = await paidBy(archive);
    expect(paid).toHaveLength(1);
    const changes = fc.record({
      at: fc.oneof(
        fc.nat(archive.length - 1),
        fc.nat(5).map((more) => amountAt + more),
      ),
      kind: fc.constantFrom('change', 'cut', 'double', 'drop'),
      length: fc.constantFrom(1, 2, 64),
      by: fc.integer({ min: 1, max: 15 }),
    });
    await fc.assert(
      fc.asyncProperty(changes, async ({ at, kind, length, by }) => {
        const before = archive.subarray(0, at);
        const middle = archive.slice(at, at + length);
        const after = archive.subarray(at + length);
        if (kind === 'change') middle[0] = (middle[0] as number) ^ by;
        const pieces = {
          change: [before, middle, after],
          cut: [before],
          double: [before, middle, middle, after],
          drop: [before, after],
        }[kind as 'change' | 'cut' | 'double' | 'drop'];
        expect([undefined, paid]).toContainEqual(await paidBy(new Uint8Array(Buffer.concat(pieces))));
      }),
      { numRuns: 120 },
    );
  });

  it('wherever a sign that separates comes into a CSV file or is lost: it says the same, or is refused or asked about', async () => {
    const file = fc.record({
      amounts: fc.tuple(fc.bigInt({ min: 1n, max: 10n ** 9n }), fc.bigInt({ min: 1n, max: 10n ** 9n })),
      delimiter: fc.constantFrom(',', ';', '\t'),
      end: fc.constantFrom('\n', '\r\n'),
      columns: fc.constantFrom(
        ['recipient', 'amount'],
        ['amount', 'recipient'],
        ['name', 'recipient', 'amount', 'note'],
        ['recipient', 'amount', 'note'],
      ),
    });
    const change = fc.record({
      // In half of the cases within an amount.
      where: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
      into: fc.nat(9),
      // A comma in an amount of a file with another delimiter would be a decimal comma.
      sign: fc.option(fc.constantFrom(...';\t\n\r" ')),
      isLost: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(file, change, async ({ amounts, delimiter, end, columns }, { where, into, sign, isLost }) => {
        const rows = [one, two].map((recipient, at) => {
          return { recipient, amount: String(amounts[at]), name: '"Doe, Jo"', note: '' };
        });
        const lines = rows.map((row) => columns.map((column) => row[column as keyof typeof row]).join(delimiter));
        const text = [columns.join(delimiter), ...lines, ''].join(end);
        const inAmount = text.indexOf(`${amounts[0]}`, text.indexOf(end)) + Math.min(into, `${amounts[0]}`.length);
        const at = where === null ? inAmount : Math.floor(where * text.length);
        const changed = isLost ? lostAt(text, at) : text.slice(0, at) + (sign ?? delimiter) + text.slice(at);
        const paid = rows.map(({ recipient, amount }) => [recipient, BigInt(amount) * 1_000_000n]);
        expect([undefined, paid]).toContainEqual(await paidBy(changed));
      }),
      { numRuns: 400 },
    );
  });

  /** Without the first sign from there that separates. */
  function lostAt(text: string, at: number): string {
    const place = text.slice(at).search(/[,;\t\r\n"]/);
    return place < 0 ? text : text.slice(0, at + place) + text.slice(at + place + 1);
  }
});
