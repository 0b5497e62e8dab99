import {
  BITMAP_PAGE_BITS,
  expiryOf,
  getOpenBitmapInstructionDataDecoder,
  getOpenPagesInstructionDataDecoder,
  getOpenPersonalInstructionDataDecoder,
  getShowBalanceInstructionDataDecoder,
  getShowPersonalInstructionDataDecoder,
  MOST_PERSONAL_NUMBER,
  personalKey,
  personalNonce,
  readAuthorisation,
  readingMessage,
} from '@payouts/client';
import { bytesOf, derive, u32, u64 } from '@payouts/testing/litesvm/addresses';
import { bitmapAddress, pageAddress } from '@payouts/testing/litesvm/creations';
import type { Holder } from '@payouts/testing/litesvm/handles';
import { LEDGER_PROGRAM } from '@payouts/testing/litesvm/programs';
import type { Address } from '@solana/kit';
import { readersOf } from '../../harness/permissions.ts';
import type { SlotModel } from '../balances.ts';
import { rule } from '../model.ts';
import type { Done, Effects } from './effect.ts';
import { byAuthority, checkReaders, openWindow } from './window.ts';
import { actsFor } from './withdrawal.ts';

const bitmapDecoder = getOpenBitmapInstructionDataDecoder();
const pagesDecoder = getOpenPagesInstructionDataDecoder();
const personalDecoder = getOpenPersonalInstructionDataDecoder();
const shownDecoder = getShowBalanceInstructionDataDecoder();
const partDecoder = getShowPersonalInstructionDataDecoder();
const MOST_RETURNED = 1_024;
const FIRST_PAGE = 5;
const MOST_WITHDRAWALS = 16;
/** Seconds. */
const READERS_TAKE = 60n;

/** The window whose batch an instruction names in its third place, which the layer must have. */
function windowOf(done: Done) {
  const schedule = done.model.batch(done.at(2));
  rule(openWindow(schedule).place === 'layer', 'a batch paid that has left the layer');
  return schedule;
}

/** What an instruction says of whose balance it means, which must be so. */
interface Opened {
  readonly recipient: Address;
  readonly opening: ArrayLike<number>;
  readonly delivery: number;
  readonly slot: number;
}

function slotOf({ model }: Done, page: Address, { recipient, opening, delivery, slot }: Opened): SlotModel {
  const found = model.balances.slot(page, slot);
  rule(found !== undefined, 'a free place was taken for a balance');
  const { holder } = found;
  const isTheirs = holder.recipient === recipient && (holder.delivery === 'wallet') === (delivery === 1);
  rule(
    isTheirs && Buffer.from(holder.opening).equals(Uint8Array.from(opening)),
    'a balance was opened by another secret',
  );
  return found;
}

/** Whoever sends has a signature by the recipient that shows them the balance, and it holds still. */
function mayRead(done: Done, holder: Pick<Holder, 'recipient' | 'owner'>): void {
  const said = done.authorisation === undefined ? undefined : readAuthorisation(done.authorisation);
  rule(said?.recipient === holder.recipient, 'a balance was shown without a signature');
  const expiresAt = expiryOf(said);
  rule(expiresAt !== undefined && expiresAt >= done.now, 'a balance was shown by an old signature');
  const message = readingMessage(LEDGER_PROGRAM, holder.owner, expiresAt);
  rule(Buffer.from(said.message).equals(message), 'a balance was shown by a signature for something else');
}

/** What the layer is given accounts for, and what is shown of them. */
export const layerAccountEffects: Effects = {
  71: (done) => {
    byAuthority(done);
    const { token } = windowOf(done).vault;
    const { pages } = done.model.balances;
    const { seeds } = pagesDecoder.decode(done.bytes);
    rule(seeds.length > 0 && seeds.length === done.accounts.length - FIRST_PAGE, 'pages were made without their seeds');
    for (const [place, { nonce, number, bump }] of seeds.entries()) {
      const address = done.at(FIRST_PAGE + place);
      const known = pages.get(address);
      if (known === undefined) {
        rule(address === pageAddress(bytesOf(token.token.mint), { nonce, bump }), 'a page was made at another address');
        const index = Buffer.from(Uint8Array.from(number)).readUInt32LE(0);
        const page = { token: token.token, number: index, nonce: Uint8Array.from(nonce), address, bump };
        pages.set(address, { page, token: token.token });
      } else rule(Buffer.from(known.page.nonce).equals(Uint8Array.from(nonce)), 'another page was taken for this one');
    }
  },
  72: (done) => {
    byAuthority(done);
    const { token } = windowOf(done).vault;
    rule(done.at(3) === token.token.counter, 'another token’s counter was given lamports');
  },
  73: (done) => {
    const { model } = done;
    const terms = personalDecoder.decode(done.bytes);
    const slot = slotOf(done, done.at(2), terms);
    const { holder } = slot;
    const personal = done.at(3);
    if (done.at(0) === model.authority) byAuthority(done);
    else actsFor(done, holder.recipient, 'recipient', personal);
    rule(terms.number > 0 && terms.number <= MOST_PERSONAL_NUMBER, 'a personal account of a number that there is not');
    const nonce = personalNonce(personalKey(holder.page.nonce, holder.owner), terms.number);
    const { address } = derive(LEDGER_PROGRAM, 'personal', bytesOf(holder.token.mint), nonce);
    rule(personal === address, 'a personal account at another address');
    rule(model.balances.personalOf(holder) === undefined, 'a balance has got a second personal account');
    rule(!model.balances.personals.has(personal), 'a personal account was opened twice');
    rule(!model.balances.wiped.has(personal), 'a wiped personal account was opened');
    rule(done.at(4) === holder.token.counter, 'another token paid for a personal account');
    rule(terms.withdrawals > 0 && terms.withdrawals <= MOST_WITHDRAWALS, 'a personal account of another size');
    slot.personalNumber = terms.number;
    model.balances.personals.set(personal, {
      holder: { ...holder, personal, nonce },
      isDelivery: terms.delivery === 1,
      most: terms.withdrawals,
      nextId: 1,
      threshold: 0n,
      orderWallet: undefined,
      part: 0n,
      delays: [0n, 0n],
      withdrawals: [],
      recovery: undefined,
      madeAt: done.now,
    });
    if (terms.isPrivate === 0) return;
    rule(readersOf(done.world, personal) !== undefined, 'a private account was made that everybody may read');
    checkReaders(done, personal);
  },
  74: (done) => {
    byAuthority(done);
    const { wiped } = done.model.balances;
    const address = done.at(2);
    const { token, wipedAt } = done.model.balances.wipedOne(address);
    rule(done.now >= wipedAt + READERS_TAKE, 'an account was closed that may still be read');
    rule(done.at(3) === token.counter, 'another token got the rent of a personal account');
    wiped.delete(address);
    rule(!done.world.layer.keeps(address), 'a closed account is still there');
    rule(readersOf(done.world, address) === undefined, 'the permission of a closed account is still there');
  },
  75: (done) => {
    const terms = shownDecoder.decode(done.bytes);
    const { holder, amount } = slotOf(done, done.at(0), terms);
    mayRead(done, holder);
    const shown = Buffer.from(done.outcome.returned).readBigUInt64LE(0);
    rule(shown === amount, () => `a balance of ${amount} was shown as ${shown}`);
  },
  76: (done) => {
    byAuthority(done);
    const { schedule, open } = windowOf(done);
    const window = openWindow({ open });
    const { bitmap, number: windowNumber, recipients } = window;
    const { nonce, seeds } = bitmapDecoder.decode(done.bytes);
    rule(seeds.length > 0 && seeds.length === done.accounts.length - FIRST_PAGE, 'bits were made without their seeds');
    if (bitmap.size === 0) window.bitmapNonce = nonce;
    const of = { schedule: bytesOf(schedule.address), window: u64(windowNumber), nonce: u32(window.bitmapNonce) };
    for (const [place, { number, bump }] of seeds.entries()) {
      const index = Buffer.from(Uint8Array.from(number)).readUInt32LE(0);
      rule(index < Math.ceil(recipients / BITMAP_PAGE_BITS), 'a page of a bitmap was made of nobody');
      if (bitmap.has(index)) continue;
      const address = bitmapAddress(of, { number, bump });
      rule(done.at(FIRST_PAGE + place) === address, 'a page of a bitmap was made at another address');
      bitmap.set(index, address);
    }
  },
  77: (done) => {
    byAuthority(done);
    const { balances } = done.model;
    const personal = done.at(3);
    const { holder, isDelivery, most, threshold, withdrawals, recovery, madeAt } = balances.personal(personal);
    const { token, nonce, page } = holder;
    rule(done.at(2) === page.address, 'an account was wiped of another page');
    rule(
      !isDelivery && threshold === 0n && withdrawals.length === 0,
      'an account was wiped in which something is left',
    );
    rule(recovery === undefined, 'an account was wiped for which somebody is named');
    rule(done.now >= madeAt + READERS_TAKE, 'an account was wiped within a minute');
    balances.personals.delete(personal);
    balances.wiped.set(personal, { token, nonce, most, wipedAt: done.now });
  },
  78: (done) => {
    const { holder } = done.model.balances.personal(done.at(0));
    mayRead(done, holder);
    const { from } = partDecoder.decode(done.bytes);
    const part = Buffer.from(done.world.layer.data(holder.personal).subarray(from, from + MOST_RETURNED));
    rule(part.equals(done.outcome.returned), 'a personal account was shown as something else');
  },
};
