import { localPayloadKeys } from '@payouts/coordinator/testing';
import type { Claim, Outcome } from '../claim.ts';
import type { Evidence } from '../evidence.ts';
import { textOf } from '../sight.ts';
import { rowsOf } from '../tables.ts';

const KEY = /(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])/gi;

/** The payload key, written anywhere: rows of the database name the keys that encrypt them by a hash, so whatever looks like a key can be tried. */
export function keysWritten(evidence: Evidence): Outcome {
  const { log, dump, backup, later, environment, answers } = evidence;
  const names = new Set(
    [dump, backup, later].flatMap((store) => rowsOf(store, 'recipient_lists').map(({ key_id }) => key_id)),
  );
  const texts = [
    ...[log, dump, backup, later, environment].map((text) => text.toString('latin1')),
    ...answers.map(textOf),
  ];
  const tried = new Set(texts.flatMap((text) => text.match(KEY) ?? []));
  const claims = [...tried].flatMap((key): Claim[] => {
    const { currentId: subject } = localPayloadKeys(Buffer.from(key, 'hex'));
    return names.has(subject) ? [{ kind: 'key', subject, object: '', isCertain: true }] : [];
  });
  return { looked: `${tried.size} texts that look like a key`, claims };
}
