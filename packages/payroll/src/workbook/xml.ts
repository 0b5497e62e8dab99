import { type SaxesAttributeNS, SaxesParser } from 'saxes';
import { type Archive, damaged } from './archive.ts';

/** Attributes of an element by their names as they are written. */
export type Attributes = Readonly<Record<string, SaxesAttributeNS>>;

/** Told the elements of a part in order; `depth` of the root is 1. Elements of other vocabularies are left out. */
export type Visitor = {
  open?(name: string, depth: number, attributes: Attributes): void;
  /** `text`: what stands in the element itself. */
  close?(name: string, depth: number, text: string): void;
};

/** What a workbook's own elements are called by, as most programs write it, and as the standard's strict form has it. */
const VOCABULARIES: ReadonlySet<string> = new Set([
  'http://schemas.openxmlformats.org/spreadsheetml/2006/main',
  'http://purl.oclc.org/ooxml/spreadsheetml/main',
  'http://schemas.openxmlformats.org/package/2006/relationships',
  'http://schemas.openxmlformats.org/package/2006/content-types',
]);
/** No part that is read is nested any deeper. */
const MOST_DEPTH = 64;

export const attributeOf = (attributes: Attributes, name: string): string | undefined => attributes[name]?.value;

/** Whether an attribute of the kind "yes or no" says yes. */
export const isSet = (attributes: Attributes, name: string): boolean =>
  ['1', 'true'].includes(attributeOf(attributes, name) ?? '');

/** Reads a part of a workbook. Throws `PayrollError`: of what is not XML, and of entities that a part defines for itself. */
export async function readPart(archive: Archive, part: string, visitor: Visitor): Promise<void> {
  const parser = new SaxesParser({ xmlns: true });
  let [depth, text] = [0, ''];
  parser.on('error', () => {
    throw damaged(`${part} is not XML`);
  });
  parser.on('doctype', () => {
    throw damaged(`${part} defines entities of its own`);
  });
  parser.on('opentag', ({ local, uri, attributes }) => {
    depth += 1;
    if (depth > MOST_DEPTH) throw damaged(`${part} is nested too deep`);
    text = '';
    if (VOCABULARIES.has(uri)) visitor.open?.(local, depth, attributes);
  });
  parser.on('text', (more) => {
    text += more;
  });
  parser.on('cdata', (more) => {
    text += more;
  });
  parser.on('closetag', ({ local, uri }) => {
    if (VOCABULARIES.has(uri)) visitor.close?.(local, depth, text);
    depth -= 1;
    text = '';
  });
  await archive.read(part, (piece) => parser.write(piece));
  if (archive.has(part)) parser.close();
}
