import {
  buildTransaction,
  COMPUTE_BUDGET_PROGRAM_ADDRESS,
  getPauseScheduleInstruction,
  getRedirectWithdrawalInstruction,
  getSetStandingOrderInstruction,
  PAYOUT_LEDGER_PROGRAM_ADDRESS,
  requestWithdrawalInstructions,
} from '@payouts/client';
import {
  AccountRole,
  type Address,
  type Blockhash,
  generateKeyPairSigner,
  type Instruction,
  type KeyPairSigner,
} from '@solana/kit';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { readOwnTransaction } from '../src/api/recipients/transaction.ts';
import { Problem } from '../src/domain/problems.ts';
import { randomAddress } from './support/promised.ts';

const program = PAYOUT_LEDGER_PROGRAM_ADDRESS;
const lifetime = { blockhash: randomAddress() as string as Blockhash, lastValidBlockHeight: 1n };

let recipient: KeyPairSigner;
beforeAll(async () => {
  recipient = await generateKeyPairSigner();
});

const signed = async (instructions: readonly Instruction[], feePayer: KeyPairSigner = recipient): Promise<string> =>
  (await buildTransaction({ feePayer, instructions, lifetime })).wire;
const order = (balance: Address = randomAddress()) =>
  getSetStandingOrderInstruction({ recipient, balance, threshold: 5n, wallet: randomAddress() });
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
  it("is taken with every kind of a recipient's own instruction", async () => {
    const [balance, mint, wallet] = [randomAddress(), randomAddress(), randomAddress()];
    const [withdrawal] = (await requestWithdrawalInstructions({
      recipient,
      balance,
      mint,
      wallet,
      amount: 'all',
    })) as [Instruction];
    const instructions = [withdrawal, getRedirectWithdrawalInstruction({ recipient, balance, wallet }), order(balance)];
    const { wire, signature } = await buildTransaction({
      feePayer: recipient,
      instructions,
      lifetime,
      computeUnitLimit: 100_000,
      computeUnitPrice: 1n,
    });
    const own = readOwnTransaction(wire, program);
    expect(own).toMatchObject({ wire, signature, signer: recipient.address });
    expect(own.uses.map((use) => use.balance)).toEqual([balance, balance, balance]);
    expect(own.uses.map(({ token }) => token !== undefined)).toEqual([true, false, false]);
  });

  it('is refused with anything else in it', async () => {
    const other = await generateKeyPairSigner();
    const good = order();
    const pause = getPauseScheduleInstruction({
      employer: recipient,
      vault: randomAddress(),
      schedule: randomAddress(),
    });
    const programAddress = COMPUTE_BUDGET_PROGRAM_ADDRESS;
    const data = Uint8Array.of(2, 7, 0, 0, 0);
    const budget = (changed: Uint8Array) => ({ programAddress, data: changed, accounts: [] });
    const withAccounts = (accounts: Instruction['accounts']) => ({ ...good, accounts }) as Instruction;
    const [first, second] = good.accounts;
    const cases: [string, string][] = [
      ['nothing', await signed([])],
      ['the budget alone', await signed([budget(data)])],
      ['heap frames', await signed([good, budget(Uint8Array.of(1, 0, 0, 1, 0))])],
      ['a longer budget', await signed([good, budget(Uint8Array.of(...data, 0))])],
      ["an employer's instruction", await signed([good, pause])],
      ['another program', await signed([{ ...good, programAddress: other.address } as Instruction])],
      ['another payer', await signed([good], other)],
      ['more data', await signed([{ ...good, data: Uint8Array.of(...(good.data as Uint8Array), 0) } as Instruction])],
      ['less data', await signed([{ ...good, data: (good.data as Uint8Array).slice(0, -1) } as Instruction])],
      ['more accounts', await signed([withAccounts([first, second, { ...second, role: AccountRole.READONLY }])])],
      ['fewer accounts', await signed([withAccounts([first])])],
      [
        'a balance that is not written',
        await signed([withAccounts([first, { ...second, role: AccountRole.READONLY }])]),
      ],
    ];
    for (const [name, text] of cases) expect(() => refused(text), name).not.toThrow();
    refused('');
    refused('not base 64');
    refused(`${await signed([good])} `);
    refused(Buffer.alloc(1_233).toString('base64'));
  });

  it('is refused with any byte changed, cut off or added', async () => {
    const bytes = Buffer.from(await signed([order()]), 'base64');
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
