import {
  type AuthorisationTerms,
  actFor,
  authorisationInstruction,
  authorisationMessage,
  buildTransaction,
  COMPUTE_BUDGET_PROGRAM_ADDRESS,
  findCounterAddress,
  findPoolAddress,
  getCancelWithdrawalInstruction,
  getClosePersonalInstructionAsync,
  getCompleteRecoveryInstruction,
  getNameRecoveryInstruction,
  getPauseScheduleInstruction,
  getRedirectWithdrawalInstruction,
  getRefuseRecoveryInstruction,
  getRequestRecoveryInstruction,
  getSetStandingOrderInstruction,
  getShowBalanceInstruction,
  openPersonalInstruction,
  PARTS_AT_ONCE,
  PAYOUT_LEDGER_PROGRAM_ADDRESS,
  type PrivateBalance,
  personalNamed,
  requestPartsInstructions,
  requestWithdrawalInstructions,
  systemTime,
} from '@payouts/client';
import {
  AccountRole,
  type Address,
  type Blockhash,
  generateKeyPairSigner,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  type Instruction,
  type KeyPairSigner,
  type TransactionSigner,
} from '@solana/kit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Problem } from '../src/domain/problems.ts';
import { readOwnTransaction } from '../src/http/recipients/transaction.ts';
import { randomAddress } from './support/promised.ts';

const program = PAYOUT_LEDGER_PROGRAM_ADDRESS;
const COMPUTE_LIMIT: Instruction = {
  programAddress: COMPUTE_BUDGET_PROGRAM_ADDRESS,
  data: Uint8Array.of(2, 7, 0, 0, 0),
};
const lifetime = { blockhash: randomAddress() as string as Blockhash, lastValidBlockHeight: 1n };

const recipient = await generateKeyPairSigner();
const key = await generateKeyPairSigner();

const signed = async (instructions: readonly Instruction[], feePayer: KeyPairSigner = key): Promise<string> =>
  (await buildTransaction({ feePayer, instructions, lifetime })).wire;
const order = (personal: Address, signer: TransactionSigner = key) =>
  getSetStandingOrderInstruction({ signer, personal, threshold: 5n, wallet: randomAddress() });
/** What a recipient signs for a key, changed or not. */
async function authorise(
  terms: Partial<AuthorisationTerms>,
  change: (message: Uint8Array) => Uint8Array = (message) => message,
  by = recipient,
): Promise<Instruction> {
  const message = change(
    authorisationMessage({ program, personal: randomAddress(), signer: key.address, expiresAt: 9n, ...terms }),
  );
  const [signatures] = await by.signMessages([{ content: message, signatures: {} }]);
  return authorisationInstruction({
    recipient: by.address,
    signature: signatures?.[by.address] as Uint8Array,
    message,
  });
}
const refused = (text: string) => {
  try {
    readOwnTransaction(text, program);
  } catch (error) {
    expect(error).toBeInstanceOf(Problem);
    expect(error).toMatchObject({ code: 'invalid-transaction' });
    return;
  }
  throw new Error('it was taken');
};

describe('a transaction that is to be passed on', () => {
  it("is taken with every kind of a recipient's own instruction, each with its authorisation", async () => {
    const [personal, page, mint, wallet] = Array.from({ length: 4 }, randomAddress) as [
      Address,
      Address,
      Address,
      Address,
    ];
    const asked = { signer: key, personal, page, mint, wallet, amount: 'all' } as const;
    const [withdrawal] = (await requestWithdrawalInstructions(asked)) as [Instruction];
    const authorisation = await authorise({ personal });
    const acting = { signer: key, personal };
    const others: readonly (readonly [Instruction, notice?: string])[] = [
      [getRedirectWithdrawalInstruction({ ...acting, id: 3, wallet }), 'address.changed'],
      [getCancelWithdrawalInstruction({ ...acting, id: 3 })],
      [order(personal), 'address.changed'],
      [getNameRecoveryInstruction({ ...acting, wallet }), 'recovery.changed'],
      [getRefuseRecoveryInstruction(acting), 'recovery.changed'],
    ];
    const { wire, signature } = await buildTransaction({
      feePayer: key,
      instructions: [authorisation, withdrawal],
      lifetime,
      computeUnitLimit: 100_000,
      computeUnitPrice: 1n,
    });
    const use = { recipient: recipient.address, by: 'recipient', personal, opens: false };
    const own = readOwnTransaction(wire, program);
    expect(own).toMatchObject({ wire, signature });
    const [counter, pool] = [await findCounterAddress(mint), await findPoolAddress(mint)];
    expect(own.use).toEqual({ ...use, page, counter, pool });
    for (const [instruction, notice] of others) {
      const read = readOwnTransaction(await signed([authorisation, instruction]), program);
      expect(read.use).toEqual(notice === undefined ? use : { ...use, notice });
    }
    const written = withdrawal.accounts?.map((meta) => ({ ...meta, role: AccountRole.READONLY })) ?? [];
    for (const at of [1, 2, 3]) {
      const accounts = (withdrawal.accounts ?? []).with(at, written[at] as (typeof written)[number]);
      refused(await signed([authorisation, { ...withdrawal, accounts }]));
    }
  });

  it('is taken with as many parts of a round as are asked for at once, and refused with none, or with half of one', async () => {
    const [personal, page, mint] = [randomAddress(), randomAddress(), randomAddress()];
    const authorisation = await authorise({ personal });
    const asking = async (
      parts: number,
      change: (data: Uint8Array) => Uint8Array = (data) => data,
      stands: boolean = false,
    ) => {
      const wallets = Array.from({ length: parts }, randomAddress);
      const asked = { signer: key, personal, page, mint, size: 500n, wallets, stands };
      const [instruction] = (await requestPartsInstructions(asked)) as [Instruction];
      return signed([authorisation, { ...instruction, data: change(instruction.data as Uint8Array) }]);
    };
    const [counter, pool] = [await findCounterAddress(mint), await findPoolAddress(mint)];
    const use = { recipient: recipient.address, by: 'recipient', personal, opens: false, page, counter, pool };
    for (const parts of [1, PARTS_AT_ONCE]) {
      expect(readOwnTransaction(await asking(parts), program).use).toEqual(use);
    }
    // A standing order, by which money goes to wallets that somebody else may have chosen.
    const standing = await asking(PARTS_AT_ONCE, undefined, true);
    expect(readOwnTransaction(standing, program).use).toEqual({ ...use, notice: 'address.changed' });
    refused(await asking(0));
    refused(await asking(2, (data) => data.slice(0, -1)));
    refused(await asking(2, (data) => Uint8Array.from([...data, 0])));
    refused(await asking(PARTS_AT_ONCE + 12));
  });

  it('is taken from a recipient who has the account made that holds what they ask, with or without read permissions', async () => {
    const salt = new Uint8Array(16).fill(3);
    const place = { page: randomAddress(), slot: 239 };
    const own = { recipient: recipient.address, salt, delivery: 'balance' as const, mint: randomAddress() };
    const balance: PrivateBalance = { ...own, ...place };
    const named = personalNamed(own.mint, new Uint8Array(16), 1);
    const personal = named.address;
    const authorisation = await authorise({ personal });
    for (const isPrivate of [false, true]) {
      const options = { signer: key, balance, executionAuthority: randomAddress(), isPrivate, personal: named };
      const opening = await openPersonalInstruction(options);
      const use = { recipient: recipient.address, by: 'recipient', personal, opens: true };
      const read = readOwnTransaction(await signed([authorisation, opening]), program);
      expect(read.use).toEqual({ ...use, page: place.page, counter: await findCounterAddress(own.mint) });
      // For somebody else: what is opened is not theirs who authorise it.
      const others = await openPersonalInstruction({ ...options, balance: { ...balance, recipient: randomAddress() } });
      refused(await signed([await authorise({ personal: others.accounts?.[3]?.address as Address }), others]));
      // Of another balance than the authorisation names.
      refused(await signed([await authorise({ personal: randomAddress() }), opening]));
    }
  });

  it('is taken from a recovery wallet that asks and completes', async () => {
    const personal = randomAddress();
    const authorisation = await authorise({ personal });
    for (const [instruction, notice] of [
      // Its recipient hears of it by what the layer shows, whoever has passed it on.
      [getRequestRecoveryInstruction({ signer: key, personal }), undefined],
      [getCompleteRecoveryInstruction({ signer: key, personal, wallet: randomAddress() }), 'recovery.changed'],
    ] as const) {
      const { use } = readOwnTransaction(await signed([authorisation, instruction]), program);
      const expected = { recipient: recipient.address, by: 'recoveryWallet', personal, opens: false };
      expect(use).toEqual(notice === undefined ? expected : { ...expected, notice });
    }
  });

  it('names its recipient nowhere but in the data, as clients make it', async () => {
    const personal = randomAddress();
    const { instructions, feePayer } = await actFor(recipient, { personal, time: systemTime }, (signer) => [
      order(personal, signer),
    ]);
    const { wire } = await buildTransaction({ feePayer, instructions, lifetime });
    expect(readOwnTransaction(wire, program).use).toMatchObject({ recipient: recipient.address, personal });
    const { messageBytes } = getTransactionDecoder().decode(Buffer.from(wire, 'base64'));
    const { staticAccounts } = getCompiledTransactionMessageDecoder().decode(messageBytes);
    expect(staticAccounts[0]).toBe(feePayer.address);
    expect(staticAccounts).not.toContain(recipient.address);
  });

  it('is refused with another authorisation than the one that it needs', async () => {
    const [personal, other] = [randomAddress(), randomAddress()];
    const good = await authorise({ personal });
    const own = order(personal);
    const cancel = getCancelWithdrawalInstruction({ signer: key, personal, id: 3 });
    const data = good.data as Uint8Array;
    const changed = (place: number, by = 1) => {
      const bytes = data.slice();
      bytes[place] = (bytes[place] as number) ^ by;
      return { ...good, data: bytes };
    };
    expect(readOwnTransaction(await signed([good, own]), program).use).toMatchObject({ personal });
    const elsewhere = await authorise({ program: other, personal });
    const ofRecipient = await authorise({ personal, signer: recipient.address });
    const cases: [string, readonly Instruction[]][] = [
      ['none', [own]],
      ['it behind', [own, good]],
      ['it alone', [good]],
      ['it with something between', [good, COMPUTE_LIMIT, own]],
      ['it for the first alone', [good, own, own]],
      ['it twice', [good, cancel, good, cancel]],
      ['one for another balance', [await authorise({ personal: other }), own]],
      ['one for another key', [await authorise({ personal, signer: other }), own]],
      ['one for another program', [elsewhere, own]],
      ['another text', [await authorise({ personal }, (message) => message.with(1, 1)), own]],
      ['a time that is none', [await authorise({ personal }, (message) => message.with(-6, 0x36)), own]],
      ['a time of another zone', [await authorise({ personal }, (message) => message.with(-1, 0x42)), own]],
      ['a longer text', [await authorise({ personal }, (message) => Uint8Array.of(...message, 0)), own]],
      ['a shorter text', [await authorise({ personal }, (message) => message.slice(0, -1)), own]],
      ['a longer instruction', [{ ...good, data: Uint8Array.of(...data, 0) }, own]],
      ['two signatures', [changed(0, 3), own]],
      ['offsets into another instruction', [changed(4, 0xff), own]],
      ['another place of the signature', [changed(2), own]],
      ['a signature that does not verify', [changed(50), own]],
      ["another's address with it", [changed(20), own]],
      ['accounts', [{ ...good, accounts: [{ address: other, role: AccountRole.READONLY }] }, own]],
      ['another program', [{ ...good, programAddress: other }, own]],
    ];
    for (const [name, instructions] of cases) {
      const text = await signed(instructions);
      expect(() => refused(text), name).not.toThrow();
    }
    refused(await signed([ofRecipient, order(personal, recipient)], recipient));
    refused(await signed([order(personal, recipient)], recipient));
  });

  it('is refused with anything else in it', async () => {
    const other = await generateKeyPairSigner();
    const personal = randomAddress();
    const own = order(personal);
    const good = await authorise({ personal });
    const pause = getPauseScheduleInstruction({
      employer: key,
      vault: randomAddress(),
      schedule: randomAddress(),
    });
    const closing = await getClosePersonalInstructionAsync({
      ...{ authority: key, wiped: personal, mint: randomAddress(), permission: randomAddress() },
    });
    const shown = { recipient: recipient.address, opening: new Uint8Array(16), delivery: 0, slot: 0 };
    const showing = getShowBalanceInstruction({ page: randomAddress(), ...shown });
    const budget = (...data: number[]) => ({ ...COMPUTE_LIMIT, data: Uint8Array.from(data) });
    const withData = (data: Iterable<number>) => ({ ...own, data: Uint8Array.from(data) }) as Instruction;
    const withAccounts = (...accounts: NonNullable<Instruction['accounts']>[number][]) =>
      ({ ...own, accounts }) as Instruction;
    const [first, second, last] = own.accounts;
    const readOnly = { ...second, role: AccountRole.READONLY };
    const data = own.data as Uint8Array;
    const cases: [string, string][] = [
      ['nothing', await signed([])],
      ['the budget alone', await signed([COMPUTE_LIMIT])],
      ['heap frames', await signed([good, own, budget(1, 0, 0, 1, 0)])],
      ['a longer budget', await signed([good, own, budget(2, 7, 0, 0, 0, 0)])],
      ["an employer's instruction", await signed([good, own, pause])],
      ["the authority's closing of the account", await signed([good, closing])],
      ['the showing of a balance, which nothing needs executed', await signed([good, showing])],
      ['another program', await signed([good, { ...own, programAddress: other.address } as Instruction])],
      ['another payer', await signed([good, own], other)],
      ['more data', await signed([good, withData([...data, 0])])],
      ['less data', await signed([good, withData(data.slice(0, -1))])],
      ['more accounts', await signed([good, withAccounts(first, second, readOnly, last)])],
      ['fewer accounts', await signed([good, withAccounts(first)])],
      ['another sysvar', await signed([good, withAccounts(first, second, { ...last, address: other.address })])],
      ['a balance that is not written', await signed([good, withAccounts(first, readOnly, last)])],
    ];
    for (const [name, text] of cases) expect(() => refused(text), name).not.toThrow();
    refused('');
    refused('not base 64');
    refused(`${await signed([good, own])} `);
    refused(Buffer.alloc(1_233).toString('base64'));
  });

  it('is refused with any byte changed, cut off or added', async () => {
    const personal = randomAddress();
    const bytes = Buffer.from(await signed([await authorise({ personal }), order(personal)]), 'base64');
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (place, difference) => {
        const changed = Buffer.from(bytes);
        changed[place] = (changed[place] as number) ^ difference;
        refused(changed.toString('base64'));
      }),
    );
    fc.assert(fc.property(fc.nat(bytes.length - 1), (length) => refused(bytes.subarray(0, length).toString('base64'))));
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 40 }), (more) =>
        refused(Buffer.concat([bytes, more]).toString('base64')),
      ),
    );
    fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), (any) => refused(Buffer.from(any).toString('base64'))));
  });
});
