import type { Claim, Outcome } from '../claim.ts';
import type { Evidence, Size } from '../evidence.ts';
import { deliveredTo, listsOf, type Payout, partSizesOf, payoutsOf } from '../sight.ts';

/** Bytes that somebody sends on a connection who gives in a list, and not only asks; and those that each entry adds, some more or less. */
const UPLOAD = 1_200;
const ENTRY = 133;
/** The address of whoever only looks around. */
const NOBODYS = '127.0.0.1';
/** The links, as the wires name them. */
const [API, LAYER, OPEN] = ['whoever is paid or pays to API', 'recipients to layer', 'anybody to API'];

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
  const partSizes = partSizesOf(evidence);
  const payouts = payoutsOf(evidence).filter(({ wallet }) => !delivered.has(wallet));
  const parts = payouts.filter(({ mint, amount }) => partSizes.get(mint) === amount);
  for (const { wallet, at } of payouts.filter((payout) => !parts.includes(payout))) {
    const last = asked.findLast((size) => size.at <= at);
    if (last !== undefined) claims.push({ kind: 'line-takes', subject: wallet, object: last.peer, isCertain: false });
  }
  claims.push(...joining(parts, asked), ...spending(evidence, parts));

  // An address of a schedule in the request is of 43 or 44 characters.
  const requests = [...new Set(reads.map(({ sent }) => sent))].sort((a, b) => a - b);
  const schedules = [...new Set(listsOf(evidence).map(({ schedule }) => schedule))].sort((a, b) => a.length - b.length);
  for (const { peer: subject, sent } of reads) {
    const object = schedules[Math.floor((requests.indexOf(sent) * schedules.length) / requests.length)];
    if (object !== undefined) claims.push({ kind: 'line-paid-by', subject, object, isCertain: false });
  }
  return { looked: `${connections.length} connections to the API, ${asked.length} pieces sent to the layer`, claims };
}

/** Lines by the order in which they spoke to the layer, and parts by their numbers: as if who asked first left first. */
function joining(parts: readonly Payout[], asked: readonly Size[]): Claim[] {
  const peers = [...new Set(asked.map(({ peer }) => peer))];
  const inOrder = [...parts].sort((one, other) => Number(one.number - other.number));
  return inOrder.flatMap(({ wallet: subject }, place): Claim[] => {
    const object = peers[Math.floor((place * peers.length) / inOrder.length)];
    if (object === undefined) return [];
    return [{ kind: 'line-joins', subject, object, isCertain: false, among: peers.length }];
  });
}

/** The line that spoke to the API last before a wallet's tokens went on, on the connections that everybody has. */
function spending({ sizes, transactions }: Evidence, parts: readonly Payout[]): Claim[] {
  const spoke = sizes.filter(({ link, way, peer }) => link === OPEN && way === 'there' && peer !== NOBODYS);
  const wallets = new Set(parts.map(({ wallet }) => wallet));
  return transactions.flatMap(({ at, err, preTokenBalances, postTokenBalances }): Claim[] => {
    const had = err === null ? preTokenBalances.find(({ owner }) => wallets.has(owner)) : undefined;
    const left = postTokenBalances.find(({ owner }) => owner === had?.owner)?.uiTokenAmount.amount ?? '0';
    const last = spoke.findLast((size) => size.at <= at);
    if (had === undefined || last === undefined || BigInt(left) >= BigInt(had.uiTokenAmount.amount)) return [];
    return [{ kind: 'line-spends', subject: had.owner, object: last.peer, isCertain: false }];
  });
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
