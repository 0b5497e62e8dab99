import { SaxesParser } from 'saxes';

/** An element of a message: its name, text, attributes and what is in it. */
export type Parsed = {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  text: string;
  readonly inner: Parsed[];
};

/** A message that must be XML. */
export function parsed(xml: string): Parsed {
  const root: Parsed = { name: '', attributes: {}, text: '', inner: [] };
  const open = [root];
  const parser = new SaxesParser();
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ name, attributes }) => {
    const element: Parsed = { name, attributes, text: '', inner: [] };
    open.at(-1)?.inner.push(element);
    open.push(element);
  });
  parser.on('text', (text) => {
    const element = open.at(-1);
    if (element !== undefined) element.text += text;
  });
  parser.on('closetag', () => {
    open.pop();
  });
  parser.write(xml).close();
  return root;
}

/** All elements at a path of names, such as Stmt/Bal, wherever that begins. */
export function all({ inner }: Parsed, path: string): Parsed[] {
  const [name, ...rest] = path.split('/');
  return inner.flatMap((element) => {
    const deeper = all(element, path);
    if (element.name !== name) return deeper;
    return rest.length === 0 ? [element, ...deeper] : [...within(element, rest), ...deeper];
  });
}

function within({ inner }: Parsed, [name, ...rest]: readonly string[]): Parsed[] {
  const found = inner.filter((element) => element.name === name);
  return rest.length === 0 ? found : found.flatMap((element) => within(element, rest));
}

export const texts = (message: Parsed, path: string): string[] => all(message, path).map(({ text }) => text);

/** Base units of an amount with six decimals at most. */
export function unitsOf(written = ''): bigint {
  const [whole = '', fraction = ''] = written.split('.');
  return BigInt(whole + fraction.padEnd(6, '0'));
}
