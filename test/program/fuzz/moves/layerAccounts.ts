import type { Holder, Token } from '@payouts/testing/litesvm/handles';
import * as build from '../../fixtures/build.ts';
import { showing } from '../../harness/authorisation.ts';
import { PAGE_RENT } from '../../harness/rent.ts';
import { ATTACKERS, RECIPIENTS } from '../cast.ts';
import { layer, type Move, type Moves, ofBalance, ofPersonal, pick, type Situation } from './move.ts';
import { pagesFor } from './place.ts';
import { someOpen } from './window.ts';
import { owned } from './withdrawal.ts';

const openPages: Move = (situation) => {
  const { world, model, random } = situation;
  const schedule = someOpen(situation, 'layer');
  if (schedule === undefined) return undefined;
  const all = pagesFor(situation, schedule.vault.token.token);
  const missing = all.filter(({ address }) => !model.balances.pages.has(address));
  const pages = missing.length > 0 && random.chance(0.9) ? missing : all;
  const few = random.chance(0.5) ? pages.slice(0, 1) : pages;
  return few.length === 0 ? undefined : layer(build.openPages(world, schedule.schedule, few));
};

/** A token, now and then another one. */
const mostly = ({ random, cast }: Situation, token: Token): Token =>
  random.chance(0.9) ? token : random.pick(cast.tokens);

/** A balance, now and then said to be in another place of its page. */
const elsewhere = ({ random }: Situation, holder: Holder): Holder =>
  random.chance(0.9) ? holder : { ...holder, slot: random.below(12) };

const fundCounter: Move = (situation) => {
  const { world, random } = situation;
  const schedule = someOpen(situation, 'layer');
  if (schedule === undefined) return undefined;
  const { lamports = 0n, data = new Uint8Array() } = world.layer.account(schedule.schedule.batch) ?? {};
  const spare = lamports - world.layer.ledger.minimumBalance(data.length);
  const most = random.chance(0.8) ? spare - PAGE_RENT : spare + 2n;
  const { vault } = schedule.schedule;
  const payer = { ...schedule.schedule, vault: { ...vault, token: mostly(situation, vault.token) } };
  return layer(build.fundCounter(world, payer, random.chance(0.05) ? lamports : random.amount(most)));
};

/** A holder's own account, or one of another number where that one has lamports, or just so; now and then of one that there is not. */
const openPersonal = ofBalance(
  ({ amount }) => amount > 0n,
  ({ holder: theirs }, situation) => {
    const { world, model, random } = situation;
    const holder = elsewhere(situation, theirs);
    const isFree = world.layer.account(holder.personal) === undefined;
    const isThere = model.balances.personals.has(holder.personal);
    const own = isFree || (isThere && random.chance(0.8)) ? 0 : random.between(1, 2);
    const made = random.chance(0.95) ? own : random.pick([-1, 32_766, 32_767]);
    const terms = { made, isPrivate: random.chance(0.5), withdrawals: random.pick([1, 2, 3, 16, 17]) };
    if (random.chance(0.3)) return layer(build.openPersonal(world, holder, { ...terms, by: model.authority }));
    return owned(holder, situation, (by) => build.openPersonal(world, holder, { ...terms, by }));
  },
);

const wipePersonal = ofPersonal(
  ({ isDelivery, threshold, withdrawals, recovery }) =>
    !isDelivery && threshold === 0n && withdrawals.length === 0 && recovery === undefined,
  ({ holder }, { world }) => layer(build.wipePersonal(world, holder)),
);

/** One that was wiped, now and then one that was not. */
const closePersonal: Move = (situation) => {
  const { world, model, random } = situation;
  const { wiped, personals } = model.balances;
  const among = random.chance(0.95)
    ? [...wiped].map(([personal, { token }]) => ({ personal, token }))
    : [...personals].map(([personal, { holder }]) => ({ personal, token: holder.token }));
  const one = pick(situation, among);
  return one && layer(build.closePersonal(world, { ...one, token: mostly(situation, one.token) }));
};

/** Mostly the recipient's signature, now and then an old one or somebody else's. */
function someReading({ world, random }: Situation, holder: Holder) {
  const recipient = random.chance(0.8) ? holder.recipient : random.pick([...RECIPIENTS, ...ATTACKERS]);
  const expiresAt = world.now + BigInt(random.below(300) - (random.chance(0.2) ? 300 : 0));
  return showing({ ...holder, recipient }, expiresAt);
}

const showBalance = ofBalance(
  () => true,
  ({ holder: own }, situation) => {
    const holder = elsewhere(situation, own);
    return { ...layer(build.showBalance(holder)), authorisation: someReading(situation, holder) };
  },
);

/** The same of what was asked. */
const showPersonal = ofPersonal(
  () => true,
  ({ holder }, situation) => {
    const { random } = situation;
    const part = build.showPersonal(holder, random.pick([0, 1_024, random.below(2_000)]));
    return { ...layer(part), authorisation: someReading(situation, holder) };
  },
);

export const layerAccountMoves: Moves = [
  [14, openPages],
  [4, fundCounter],
  [12, openPersonal],
  [4, wipePersonal],
  [3, closePersonal],
  [3, showBalance],
  [3, showPersonal],
];
