import {
  type AuthorisationTerms,
  actFor,
  authorisationInstruction,
  authorisationMessage,
  buildTransaction,
  COMPUTE_BUDGET_PROGRAM_ADDRESS,
  EPHEMERAL_VAULT_ADDRESS,
  findCounterAddress,
  findRecoveryAddress,
  getNameRecoveryInstructionAsync,
  getPauseScheduleInstruction,
  getRedirectWithdrawalInstruction,
  getRequestRecoveryInstructionAsync,
  getSetStandingOrderInstruction,
  MAGIC_PROGRAM_ADDRESS,
  PAYOUT_LEDGER_PROGRAM_ADDRESS,
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
const order = (balance: Address, signer: TransactionSigner = key) =>
  getSetStandingOrderInstruction({ signer, balance, threshold: 5n, wallet: randomAddress() });
/** What a recipient signs for a key, changed or not. */
async function authorise(
  terms: Partial<AuthorisationTerms>,
  change: (message: Uint8Array) => Uint8Array = (message) => message,
  by = recipient,
): Promise<Instruction> {
  const message = change(
    authorisationMessage({ program, balance: randomAddress(), signer: key.address, expiresAt: 9n, ...terms }),
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
    const [balance, mint, wallet] = [randomAddress(), randomAddress(), randomAddress()];
    const [withdrawal] = (await requestWithdrawalInstructions({
      signer: key,
      balance,
      mint,
      wallet,
      amount: 'all',
    })) as [Instruction];
    const authorisation = await authorise({ balance });
    const redirect = getRedirectWithdrawalInstruction({ signer: key, balance, wallet });
    const { wire, signature } = await buildTransaction({
      feePayer: key,
      instructions: [authorisation, withdrawal, authorisation, redirect],
      lifetime,
      computeUnitLimit: 100_000,
      computeUnitPrice: 1n,
    });
    const own = readOwnTransaction(wire, program);
    expect(own).toMatchObject({ wire, signature });
    expect(own.uses.map((use) => [use.owner, use.balance])).toEqual(
      Array.from({ length: 2 }, () => [recipient.address, balance]),
    );
    expect(own.uses.map(({ accounts }) => Object.keys(accounts))).toEqual([['counter', 'pool'], []]);
    const ordered = readOwnTransaction(await signed([authorisation, order(balance)]), program);
    expect(ordered.uses).toEqual([{ owner: recipient.address, by: 'recipient', balance, accounts: {} }]);
  });

  it('is taken from a recipient who names a recovery wallet, and from that wallet', async () => {
    const [balance, mint] = [randomAddress(), randomAddress()];
    const naming = await getNameRecoveryInstructionAsync({ signer: key, balance, mint, wallet: randomAddress() });
    const asking = await getRequestRecoveryInstructionAsync({ signer: key, balance });
    const authorisation = await authorise({ balance });
    const { uses } = readOwnTransaction(await signed([authorisation, naming, authorisation, asking]), program);
    const recovery = await findRecoveryAddress(balance);
    expect(uses).toEqual([
      {
        owner: recipient.address,
        by: 'recipient',
        balance,
        accounts: {
          recovery,
          counter: await findCounterAddress(mint),
          magicProgram: MAGIC_PROGRAM_ADDRESS,
          ephemeralVault: EPHEMERAL_VAULT_ADDRESS,
        },
      },
      { owner: recipient.address, by: 'recoveryWallet', balance, accounts: { recovery } },
    ]);
    const readOnly = naming.accounts.map((meta) => ({ ...meta, role: AccountRole.READONLY }));
    refused(await signed([authorisation, { ...naming, accounts: readOnly } as Instruction]));
  });

  it('names its recipient nowhere but in the data, as clients make it', async () => {
    const balance = randomAddress();
    const { instructions, feePayer } = await actFor(recipient, { balance, time: systemTime }, (signer) => [
      order(balance, signer),
    ]);
    const { wire } = await buildTransaction({ feePayer, instructions, lifetime });
    expect(readOwnTransaction(wire, program).uses).toMatchObject([{ owner: recipient.address, balance }]);
    const { messageBytes } = getTransactionDecoder().decode(Buffer.from(wire, 'base64'));
    const { staticAccounts } = getCompiledTransactionMessageDecoder().decode(messageBytes);
    expect(staticAccounts[0]).toBe(feePayer.address);
    expect(staticAccounts).not.toContain(recipient.address);
  });

  it('is refused with another authorisation than the one that it needs', async () => {
    const [balance, other] = [randomAddress(), randomAddress()];
    const good = await authorise({ balance });
    const own = order(balance);
    const data = good.data as Uint8Array;
    const changed = (place: number, by = 1) => {
      const bytes = data.slice();
      bytes[place] = (bytes[place] as number) ^ by;
      return { ...good, data: bytes };
    };
    expect(readOwnTransaction(await signed([good, own]), program).uses).toHaveLength(1);
    const elsewhere = await authorise({ program: other, balance });
    const ofRecipient = await authorise({ balance, signer: recipient.address });
    const cases: [string, readonly Instruction[]][] = [
      ['none', [own]],
      ['it behind', [own, good]],
      ['it alone', [good]],
      ['it with something between', [good, COMPUTE_LIMIT, own]],
      ['it for the first alone', [good, own, own]],
      ['one for another balance', [await authorise({ balance: other }), own]],
      ['one for another key', [await authorise({ balance, signer: other }), own]],
      ['one for another program', [elsewhere, own]],
      ['another text', [await authorise({ balance }, (message) => message.with(1, 1)), own]],
      ['a longer text', [await authorise({ balance }, (message) => Uint8Array.of(...message, 0)), own]],
      ['a shorter text', [await authorise({ balance }, (message) => message.slice(0, -1)), own]],
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
    refused(await signed([ofRecipient, order(balance, recipient)], recipient));
    refused(await signed([order(balance, recipient)], recipient));
  });

  it('is refused with anything else in it', async () => {
    const other = await generateKeyPairSigner();
    const balance = randomAddress();
    const own = order(balance);
    const good = await authorise({ balance });
    const pause = getPauseScheduleInstruction({
      employer: key,
      vault: randomAddress(),
      schedule: randomAddress(),
    });
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
    const balance = randomAddress();
    const bytes = Buffer.from(await signed([await authorise({ balance }), order(balance)]), 'base64');
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
