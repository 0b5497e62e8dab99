import type { Claim, Outcome } from '../claim.ts';
import type { Evidence, Size } from '../evidence.ts';
import { deliveredTo, listsOf, payoutsOf } from '../sight.ts';

/** Bytes that somebody sends on a connection who gives in a list, and not only asks; and those that each entry adds, some more or less. */
const UPLOAD = 1_200;
const ENTRY = 133;
/** The links, as the wires name them. */
const [API, LAYER] = ['whoever is paid or pays to API', 'recipients to layer'];

/**
 * Lines: who asks, who gives in which list, whose line a withdrawal was asked from just before it was paid, and, by the lengths of what is asked, which
 * employer pays whoever asks.
 */
export function lines(evidence: Evidence): Outcome {
  const { sizes, reads } = evidence;
  const connections = sumsOf(sizes.filter(({ link }) => link === API));
  const claims: Claim[] = [];
  const uploads = connections.filter(({ sent }) => sent > UPLOAD);
  for (const { peer, sent } of connections) {
    if (sent <= UPLOAD) claims.push({ kind: 'asks', subject: peer, object: '', isCertain: true });
  }

  const lists = listsOf(evidence).sort((a, b) => a.from - b.from);
  const [fewest, smallest] = [
    Math.min(...lists.map(({ recipients }) => recipients)),
    Math.min(...uploads.map(({ sent }) => sent)),
  ];
  for (const { peer, sent } of uploads) {
    const recipients = fewest + Math.round((sent - smallest) / ENTRY);
    const at = lists.findIndex((list) => list.recipients === recipients);
    const [list] = at < 0 ? [] : lists.splice(at, 1);
    if (list !== undefined) claims.push({ kind: 'line-gives', subject: peer, object: list.schedule, isCertain: true });
  }

  const delivered = deliveredTo(evidence);
  const asked = sizes.filter(({ link, way }) => link === LAYER && way === 'there');
  for (const { wallet, at } of payoutsOf(evidence)) {
    const last = delivered.has(wallet) ? undefined : asked.findLast((size) => size.at <= at);
    if (last !== undefined) claims.push({ kind: 'line-takes', subject: wallet, object: last.peer, isCertain: false });
  }

  // An address of a schedule in the request is of 43 or 44 characters.
  const requests = [...new Set(reads.map(({ sent }) => sent))].sort((a, b) => a - b);
  const schedules = [...new Set(listsOf(evidence).map(({ schedule }) => schedule))].sort((a, b) => a.length - b.length);
  for (const { peer: subject, sent } of reads) {
    const object = schedules[Math.floor((requests.indexOf(sent) * schedules.length) / requests.length)];
    if (object !== undefined) claims.push({ kind: 'line-paid-by', subject, object, isCertain: false });
  }
  return { looked: `${connections.length} connections to the API, ${asked.length} pieces sent to the layer`, claims };
}

/** Connections in order of time, with what was sent on each. */
function sumsOf(sizes: readonly Size[]): { readonly peer: string; readonly sent: number }[] {
  const sums = new Map<number, { readonly peer: string; sent: number }>();
  for (const { connection, peer, way, bytes } of sizes) {
    const one = sums.get(connection) ?? { peer, sent: 0 };
    sums.set(connection, one);
    if (way === 'there') one.sent += bytes;
  }
  return [...sums.values()];
}

/** Addresses of lines in what the service writes. */
export function linesWritten({ log, dump, backup, later }: Evidence): Outcome {
  const found = new Set(
    [log, dump, backup, later].flatMap((text) => text.toString('latin1').match(/\b\d{1,3}(\.\d{1,3}){3}\b/g) ?? []),
  );
  // The loopback's own is everybody's.
  found.delete('127.0.0.1');
  const claims = [...found].map((subject): Claim => ({ kind: 'asks', subject, object: '', isCertain: true }));
  return { looked: `${found.size} addresses of lines`, claims };
}
