import { SIGNATURE_TAG } from '@payouts/client';
import {
  type Dictionary,
  type InnerList,
  type Item,
  isInnerList,
  parseDictionary,
  serializeDictionary,
  serializeInnerList,
} from 'structured-headers';
import { Problem } from '../../domain/problems.ts';

/** The signature of a request that is meant for this service, as its headers say it; nothing of it is verified. */
export type SignatureMessage = {
  /** Names of what it covers, in order. */
  readonly covered: readonly string[];
  /** By name; of any type that structured fields have. */
  readonly parameters: ReadonlyMap<string, unknown>;
  /** The parameters as they are signed. */
  readonly signedParameters: string;
  readonly signature: Uint8Array;
};

/** Reads the headers `Signature-Input` and `Signature`. Throws `signature-missing` or `signature-invalid`. */
export function readSignature(headers: {
  readonly input: string | undefined;
  readonly signature: string | undefined;
}): SignatureMessage {
  if (headers.input === undefined || headers.signature === undefined) {
    throw new Problem('signature-missing', 'The request has no Signature-Input or no Signature header.');
  }
  const inputs = dictionary(headers.input, 'Signature-Input');
  const signatures = dictionary(headers.signature, 'Signature');
  const ours = [...inputs].filter(([, [, parameters]]) => parameters.get('tag') === SIGNATURE_TAG);
  const [only, ...others] = ours;
  if (only === undefined) {
    throw new Problem('signature-missing', `No signature of the request has tag="${SIGNATURE_TAG}".`);
  }
  if (others.length > 0) throw invalid(`More than one signature has tag="${SIGNATURE_TAG}"`);
  const [label, input] = only;
  if (!isInnerList(input)) throw invalid('Signature-Input does not list what is covered');
  const [signature] = signatures.get(label) ?? [];
  if (!(signature instanceof ArrayBuffer))
    throw invalid("Signature has no bytes under the label of the request's input");
  return {
    covered: coveredOf(input),
    parameters: input[1],
    signedParameters: serializeInnerList(input),
    signature: new Uint8Array(signature),
  };
}

/**
 * A dictionary in the one form in which it is written (RFC 9651, 4.1), but for spaces. So nothing stands in it twice: a label or
 * a parameter that is repeated would be dropped in silence.
 */
function dictionary(text: string, header: string): Dictionary {
  const withoutSpaces = (spaced: string) => spaced.replace(/[ \t]/g, '');
  try {
    const parsed = parseDictionary(text);
    if (withoutSpaces(serializeDictionary(parsed)) === withoutSpaces(text)) return parsed;
  } catch {
    // Said below: the parser's own words repeat what was sent.
  }
  throw invalid(`${header} is not a dictionary of structured fields in its canonical form`);
}

function coveredOf([items]: InnerList): string[] {
  const names = items.map(([name, parameters]: Item) => {
    if (typeof name !== 'string' || parameters.size > 0) {
      throw invalid('A covered component is not a plain name; parameters of components are not supported');
    }
    return name;
  });
  if (new Set(names).size !== names.length) throw invalid('A component is covered twice');
  return names;
}

/** `signature-invalid` with a sentence that repeats nothing of what was sent. */
export function invalid(what: string): Problem {
  return new Problem('signature-invalid', `${what}.`);
}
