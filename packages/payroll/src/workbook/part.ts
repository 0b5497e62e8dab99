import { type Attributes, type Visitor, type XmlFault, XmlReader } from '../xml.ts';
import { type Archive, damaged } from './archive.ts';

/** What a workbook's own elements are called by, as most programs write it, and as the standard's strict form has it. */
const VOCABULARIES: ReadonlySet<string> = new Set([
  'http://schemas.openxmlformats.org/spreadsheetml/2006/main',
  'http://purl.oclc.org/ooxml/spreadsheetml/main',
  'http://schemas.openxmlformats.org/package/2006/relationships',
  'http://schemas.openxmlformats.org/package/2006/content-types',
]);

const FAULTS: Readonly<Record<XmlFault, string>> = {
  'not-xml': 'is not XML',
  entities: 'defines entities of its own',
  'too-deep': 'is nested too deep',
};

/** Whether an attribute of the kind "yes or no" says yes. */
export const isSet = (attributes: Attributes, name: string): boolean => ['1', 'true'].includes(attributes[name] ?? '');

/** Reads a part of a workbook. Throws `PayrollError`: of what is not XML, and of entities that a part defines for itself. */
export async function readPart(archive: Archive, part: string, visitor: Visitor): Promise<void> {
  const reader = new XmlReader(visitor, {
    isOwn: (namespace) => VOCABULARIES.has(namespace),
    refuse: (fault) => damaged(`${part} ${FAULTS[fault]}`),
  });
  await archive.read(part, (piece) => reader.write(piece));
  if (archive.has(part)) reader.close();
}
