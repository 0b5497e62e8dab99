import { authorisationMessage, ED25519_PROGRAM_ADDRESS } from '@payouts/client';
import { named } from '@payouts/testing/litesvm/addresses';
import type { Holder } from '@payouts/testing/litesvm/handles';
import { LEDGER_PROGRAM } from '@payouts/testing/litesvm/programs';
import { must } from '@payouts/testing/litesvm/world';
import { type AccountMeta, AccountRole, type Address, type Instruction } from '@solana/kit';
import { beforeAll, describe, expect, it } from 'vitest';
import * as build from '../fixtures/build.ts';
import { DAY, WALLET } from '../fixtures/constants.ts';
import { holderIn, settle } from '../fixtures/index.ts';
import { authorised, NEVER, showing, signedBy } from '../harness/authorisation.ts';
import { done } from '../harness/fixture.ts';
import { readPersonal } from '../harness/read.ts';
import { placePersonal } from '../harness/write.ts';

const KEY = named('key for one transaction');

const ACTIONS: readonly [string, (holder: Holder, by: Address) => Instruction][] = [
  ['request_withdrawal', (holder, by) => build.requestWithdrawal(holder, 300n, WALLET, by)],
  ['redirect_withdrawal', (holder, by) => build.redirectWithdrawal(holder, WALLET, by)],
  ['cancel_withdrawal', (holder, by) => build.cancelWithdrawal(holder, by)],
  ['name_recovery', (holder, by) => build.nameRecovery(holder, WALLET, by)],
  ['set_standing_order', (holder, by) => build.setStandingOrder(holder, 900n, WALLET, by)],
];

describe.each(ACTIONS)('whoever acts for a recipient: %s', (_name, action) => {
  let scene: ReturnType<typeof settle.prepare>['scene'];
  let holder: Holder;
  let recipient: Address;
  let personal: Address;
  let other: Holder;
  let own: Instruction;

  beforeAll(() => {
    scene = done(settle);
    holder = holderIn(scene);
    ({ recipient, personal } = holder);
    other = holderIn(scene, 1);
    // Something waits that can be redirected, or cancelled.
    const later = scene.world.now + BigInt(DAY);
    must(scene.world.sendToLayer(build.requestWithdrawal(holder, 5n, WALLET, undefined, later)));
    own = action(holder, KEY);
  });

  const failure = (...instructions: readonly Instruction[]) => {
    const before = readPersonal(scene.world, holder);
    const outcome = scene.world.sendToLayer(...instructions);
    if (!outcome.succeeded) expect(readPersonal(scene.world, holder)).toEqual(before);
    return outcome.failure;
  };
  const good = () => authorised(recipient, { personal, signer: KEY });
  const message = () => authorisationMessage({ program: LEDGER_PROGRAM, personal, signer: KEY, expiresAt: NEVER });
  /** The text with something else in it. */
  const written = (found: string, other: string) => {
    const text = Buffer.from(message()).toString();
    expect(text).toContain(found);
    return signedBy(recipient, Buffer.from(text.replace(found, other)));
  };
  const changed = (place: number, by = 1): Instruction => {
    const data = Uint8Array.from(good().data ?? []);
    data[place] = (data[place] as number) ^ by;
    return { ...good(), data };
  };
  const again = () => build.setStandingOrder(holder, 1n << 60n, WALLET, KEY);

  it.each<[string, () => readonly Instruction[]]>([
    ['no authorisation', () => [own]],
    ['it behind', () => [own, good()]],
    ['something between', () => [good(), build.setStandingOrder(other, 0n, WALLET), own]],
    ['it for an instruction before', () => [good(), again(), own]],
    ["another recipient's", () => [authorised(other.recipient, { personal, signer: KEY }), own]],
    ['one for another balance', () => [authorised(recipient, { personal: other.personal, signer: KEY }), own]],
    ['one for another key', () => [authorised(recipient, { personal, signer: named('another key') }), own]],
    ['one for another program', () => [authorised(recipient, { personal, signer: KEY, program: WALLET }), own]],
    ['one that shows a balance', () => [showing(holder), own]],
    ['a longer text', () => [signedBy(recipient, Uint8Array.of(...message(), 0)), own]],
    ['a shorter text', () => [signedBy(recipient, message().slice(0, -1)), own]],
    ['another first letter', () => [written('Payouts', 'payouts'), own]],
    ['another first line', () => [written('act for me on', 'show'), own]],
    ['another warning', () => [written('any wallet', 'my wallet'), own]],
    ['a line more', () => [written('\n\nKey', '\n\nKey: \nKey'), own]],
    ['a line less', () => [written(`\nAccount: ${personal.padEnd(44)}`, ''), own]],
    [
      'its lines in another order',
      () => [written(...exchanged(`Key: ${KEY.padEnd(44)}`, `Account: ${personal.padEnd(44)}`)), own],
    ],
    ['another end of a line', () => [written('\nUntil', '\r\nUntil'), own]],
    ['a time in another form', () => [written('9999-12-31 23', '9999-12-31T23'), own]],
    ['a time of another zone', () => [written('UTC', 'CET'), own]],
    ['a time that is none', () => [written('9999-12-31', '9999-02-29'), own]],
    ['surplus data', () => [{ ...good(), data: Uint8Array.of(...(good().data ?? []), 0) }, own]],
    ['two signatures', () => [twice(good()), own]],
    ['no signature', () => [{ ...good(), data: new Uint8Array(2) }, own]],
    ['the message in another instruction', () => [elsewhere(good()), own]],
    ['the same place said otherwise', () => [inPlace(good(), 0), own]],
    ['another byte of padding', () => [changed(1), own]],
  ])('is refused with %s', (_, instructions) => {
    expect(failure(...instructions())).toBe('NotRecipient');
  });

  it('is refused from the second on after the authorisation has expired', () => {
    const until = (expiresAt: bigint) => authorised(recipient, { personal, signer: KEY, expiresAt });
    const { now } = scene.world;
    for (const expiresAt of [now - 1n, 0n]) {
      expect(failure(until(expiresAt), own)).toBe('AuthorisationExpired');
      expect(failure(authorised(other.recipient, { personal, signer: KEY, expiresAt }), own)).toBe('NotRecipient');
    }
    const before = readPersonal(scene.world, holder);
    must(scene.world.sendToLayer(until(now), own));
    placePersonal(scene.world, holder, before);
  });

  it('is refused by the ledger with a signature that does not verify', () => {
    for (const place of [16, 50, 120]) expect(failure(changed(place), own)).not.toBe('NotRecipient');
    for (const place of [16, 50, 120]) expect(failure(changed(place), own)).toBeDefined();
  });

  it('is refused where another program says so', () => {
    const said: Instruction = { ...good(), programAddress: LEDGER_PROGRAM };
    expect(failure(said, own)).toBeDefined();
  });

  it('is refused without the signature of the key, or another sysvar', () => {
    const accounts = own.accounts as readonly AccountMeta[];
    const unsigned = accounts.map((meta) => (meta.address === KEY ? { ...meta, role: AccountRole.READONLY } : meta));
    expect(failure(good(), { ...own, accounts: unsigned } as Instruction)).toBe('MissingRequiredSignature');
    const other = [...accounts.slice(0, -1), { address: WALLET, role: AccountRole.READONLY }];
    expect(failure(good(), { ...own, accounts: other } as Instruction)).toBe('InvalidAccount');
  });

  it('is whoever the recipient has authorised, right before, and themselves', () => {
    must(scene.world.sendToLayer(good(), own));
    must(scene.world.sendToLayer(build.setStandingOrder(holder, 0n, WALLET, recipient)));
  });
});

/** Two lines of a text, and the same the other way round. */
const exchanged = (one: string, other: string) => [`${one}\n${other}`, `${other}\n${one}`] as const;

/** Two signatures, each the same and right. */
function twice({ data = new Uint8Array() }: Instruction): Instruction {
  const shift = 14;
  const header = Uint8Array.from(data.slice(0, 16));
  header[0] = 2;
  for (const at of [2, 6, 10]) header[at] = (header[at] as number) + shift;
  const bytes = Uint8Array.from([...header, ...header.slice(2), ...data.slice(16)]);
  return { programAddress: ED25519_PROGRAM_ADDRESS, data: bytes };
}

/** The message is that of the next instruction, whose data is none: the signature is made for other bytes. */
function elsewhere({ data = new Uint8Array() }: Instruction): Instruction {
  const bytes = Uint8Array.from(data);
  new DataView(bytes.buffer).setUint16(14, 0, true);
  return { programAddress: ED25519_PROGRAM_ADDRESS, data: bytes };
}

/** All offsets name the instruction by its number instead of saying that it is this one. */
function inPlace({ data = new Uint8Array() }: Instruction, number: number): Instruction {
  const bytes = Uint8Array.from(data);
  const view = new DataView(bytes.buffer);
  for (const at of [4, 8, 14]) view.setUint16(at, number, true);
  return { programAddress: ED25519_PROGRAM_ADDRESS, data: bytes };
}
