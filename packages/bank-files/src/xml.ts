const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
/** What XML can't hold: most control characters, and halves of characters. */
const IMPOSSIBLE = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

/** An element with what stands in it, which is XML already; nothing if that is nothing. */
export const element = (name: string, ...content: readonly string[]): string => {
  const inner = content.join('');
  return inner === '' ? '' : `<${name}>${inner}</${name}>`;
};

/** An element with a text of at most so many characters; where there is none, with `otherwise`, or nothing. */
export function text(name: string, value: string, most: number, otherwise = ''): string {
  const plain = value.replace(IMPOSSIBLE, '').replace(/\s+/g, ' ').trim();
  const cut = plain.length > most ? [...plain].slice(0, most).join('').trimEnd() : plain;
  return element(
    name,
    (cut || otherwise).replace(/[&<>]/g, (character) => ESCAPES[character] as string),
  );
}

/** An element with an amount. */
export const money = (name: string, amount: string, currency: string): string =>
  `<${name} Ccy="${currency}">${amount}</${name}>`;

/** A message of ISO 20022. */
export const message = (kind: string, ...content: readonly string[]): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<Document xmlns="urn:iso:std:iso:20022:tech:xsd:${kind}">${content.join('')}</Document>\n`;

/** What every message begins with: its name, and when it was made (unix milliseconds). */
export const groupHeader = (id: string, createdAt: number): string =>
  element('GrpHdr', ...named('MsgId', id, createdAt));

/** A name of at most 35 characters, and when what it names was made. */
export const named = (name: string, id: string, createdAt: number): readonly string[] => [
  text(name, id, MOST.id),
  element('CreDtTm', isoTime(createdAt)),
];

/** A moment, from unix milliseconds. */
export const isoTime = (at: number): string => new Date(at).toISOString();
/** The day in UTC. */
export const isoDay = (at: number): string => isoTime(at).slice(0, 10);

/** Most characters of what the standard calls Max35Text, and so on. */
export const MOST = { id: 35, account: 34, name: 140, reference: 140, reason: 105, more: 500 } as const;

/** What the standard's users write where something must stand and there is nothing. */
export const NONE = 'NOTPROVIDED';
