import { addressToBytes } from '@payouts/client';
import { type Address, getBase58Encoder } from '@solana/kit';
import { Finder } from '../../scan/finder.ts';
import { formsOfAmount, formsOfBytes } from '../../scan/forms.ts';
import type { Claim, Outcome } from '../claim.ts';
import type { Evidence } from '../evidence.ts';
import { deliveredTo, listsOf, payoutsOf, sumsOf, textOf } from '../sight.ts';

const MEGABYTE = 2 ** 20;

/** Candidates, salaries and what the colleague holds, as they are or written in any usual way, in everything but what the layer asks for. */
export function plainText(evidence: Evidence): Outcome {
  const { answers, metrics, transactions, traffic, log, dump, backup, later, environment, candidates, colleague } =
    evidence;
  const finder = new Finder();
  const delivered = deliveredTo(evidence);
  for (const address of candidates.addresses) {
    if (delivered.has(address)) continue;
    for (const form of formsOfBytes(addressToBytes(address as Address))) finder.add(form, `address ${address}`);
  }
  // What is public of itself is no find: amounts that were taken out, and totals.
  const shown = new Set([
    ...payoutsOf(evidence).map(({ amount }) => amount),
    ...[...sumsOf(payoutsOf(evidence)).values()].flat(),
    ...listsOf(evidence).map(({ total }) => total),
  ]);
  for (const salary of candidates.salaries.map(BigInt)) {
    if (!shown.has(salary)) for (const form of formsOfAmount(salary)) finder.add(form, `amount ${salary}`);
  }
  for (const secret of [
    colleague.salt,
    colleague.liabilities.blind,
    ...colleague.proof,
    ...colleague.liabilities.proof,
  ]) {
    // Zeros stand everywhere.
    if (/^0+$/.test(secret)) continue;
    for (const form of formsOfBytes(Buffer.from(secret, 'hex'))) finder.add(form, `proof ${colleague.address}`);
  }
  const hays = [
    log,
    environment,
    ...[dump, backup, later].flatMap((store) => [store, digitsOf(store)]),
    ...(['there', 'back'] as const).map((side) =>
      Buffer.concat(traffic.flatMap(({ way, bytes }) => (way === side ? [Buffer.from(bytes, 'base64')] : []))),
    ),
    Buffer.from(answers.map(textOf).join('\n')),
    Buffer.from([...new Set(metrics.flatMap(({ text }) => text.split('\n')))].join('\n')),
    ...transactions.flatMap(({ transaction, logMessages, accountKeys, accounts }) => [
      Buffer.from(transaction, 'base64'),
      Buffer.from(logMessages.join('\n')),
      ...logMessages.flatMap((line) =>
        line.startsWith('Program data: ') ? [Buffer.from(line.slice(14), 'base64')] : [],
      ),
      ...accountKeys.map((key) => Buffer.from(getBase58Encoder().encode(key))),
      ...accounts.map(({ data }) => Buffer.from(data, 'base64')),
    ]),
  ];
  const found = new Set(hays.flatMap((hay) => [...finder.scan(hay)].map(({ what }) => what)));
  const claims = [...found].map((what): Claim => {
    const [kind, text = ''] = what.split(' ');
    if (kind === 'amount') return { kind: 'wage', subject: '', object: '', amount: text, isCertain: true };
    return { kind: 'is-paid', subject: text, object: '', isCertain: true };
  });
  const bytes = hays.reduce((sum, { length }) => sum + length, 0);
  return { looked: `${finder.count} forms in ${(bytes / MEGABYTE).toFixed(1)} MB`, claims };
}

/** In a text dump, bytes stand as digits. */
const digitsOf = (dump: Buffer): Buffer =>
  Buffer.from([...dump.toString('latin1').matchAll(/\\\\x([0-9a-f]+)/g)].map(([, digits]) => digits).join(''), 'hex');
