import { BLANK_PERSONAL } from '@payouts/testing/blankAccounts';
import {
  type Address,
  generateKeyPairSigner,
  getPublicKeyFromAddress,
  type SignatureBytes,
  verifySignature,
} from '@solana/kit';
import { describe, expect, it } from 'vitest';
import {
  ApiFailed,
  BalanceReader,
  ED25519_PROGRAM_ADDRESS,
  getPersonalDecoder,
  getPersonalEncoder,
  getShowBalanceInstructionDataDecoder,
  getShowPersonalInstructionDataDecoder,
  INSTRUCTIONS_SYSVAR_ADDRESS,
  type Ledgers,
  makePersonal,
  openingOf,
  ownerRecord,
  PAYOUT_LEDGER_PROGRAM_ADDRESS,
  type PersonalName,
  personalNamed,
  readAuthorisation,
  readingMessage,
  showBalance,
  showPersonal,
  TransactionFailed,
} from '../src/index.ts';
import { decodeTransaction, lifetime, randomAddress, randomLeaves } from './support.ts';

const recipient = await generateKeyPairSigner();
const NOW = 1_800_000_000_000;
const time = { now: () => NOW } as Ledgers['time'];
const [{ salt, delivery }] = randomLeaves(1) as [ReturnType<typeof randomLeaves>[number]];
const balance = { mint: randomAddress(), page: randomAddress(), slot: 17, salt, delivery };
const KEY = Uint8Array.from({ length: 16 }, (_, at) => at + 1);

/** What the program returns of a balance. */
const shown = (amount: bigint, noted = 0): string =>
  Buffer.concat([
    new Uint8Array(BigUint64Array.of(amount).buffer),
    new Uint8Array(Uint16Array.of(noted).buffer),
    KEY,
  ]).toString('base64');

type Answer = { readonly err: unknown; readonly logs: readonly string[]; readonly returned?: string };

/** A layer that answers simulations, each with the next answer and then with the last, and what it was asked. */
function layerWith(...answers: readonly [Answer, ...Answer[]]) {
  const asked: string[] = [];
  const sent = <T>(value: T) => ({ send: async () => ({ value }) });
  const layer = {
    getLatestBlockhash: () => sent(lifetime),
    simulateTransaction: (wire: string) => {
      const { err, logs, returned } = (answers[asked.length] ?? answers.at(-1)) as Answer;
      asked.push(wire);
      const returnData = returned === undefined ? null : { data: [returned, 'base64'], programId: '' };
      return sent({ err, logs, returnData });
    },
  };
  return { ledgers: { layer: layer as unknown as Ledgers['layer'], time }, asked };
}

describe('a balance that its recipient has shown', () => {
  it('is asked for by their signature over program, owner and a time, right before the instruction', async () => {
    const { ledgers, asked } = layerWith({ err: null, logs: [], returned: shown(1_250n) });
    expect(await showBalance(ledgers, recipient, balance)).toEqual({
      ...{ amount: 1_250n, personal: null, personalNumber: 0, personalKey: KEY },
    });
    const { staticAccounts, instructions } = decodeTransaction(asked[0] as never).message;
    const [authorisation, show] = instructions.map(({ programAddressIndex, accountIndices = [], data }) => ({
      programAddress: staticAccounts[programAddressIndex] as Address,
      addresses: accountIndices.map((index) => staticAccounts[index]),
      data: Uint8Array.from(data ?? []),
    }));
    expect(authorisation?.programAddress).toBe(ED25519_PROGRAM_ADDRESS);
    expect(show?.programAddress).toBe(PAYOUT_LEDGER_PROGRAM_ADDRESS);
    expect(show?.addresses).toEqual([balance.page, INSTRUCTIONS_SYSVAR_ADDRESS]);
    expect(getShowBalanceInstructionDataDecoder().decode(show?.data ?? new Uint8Array())).toMatchObject({
      recipient: recipient.address,
      opening: openingOf(salt),
      delivery: delivery === 'wallet' ? 1 : 0,
      slot: 17,
    });
    // Neither the secret nor the recipient as an account: the layer would ask the base ledger for them.
    expect(Buffer.from(asked[0] ?? '', 'base64').includes(Buffer.from(salt))).toBe(false);
    expect(staticAccounts).not.toContain(recipient.address);

    const { owner } = ownerRecord({ ...balance, recipient: recipient.address });
    const message = readingMessage(PAYOUT_LEDGER_PROGRAM_ADDRESS, owner, BigInt(NOW / 1_000 + 300));
    const read = readAuthorisation({
      programAddress: ED25519_PROGRAM_ADDRESS,
      data: authorisation?.data ?? new Uint8Array(),
    });
    expect([read?.recipient, Buffer.from(read?.message ?? []).equals(Buffer.from(message))]).toEqual([
      recipient.address,
      true,
    ]);
    const key = await getPublicKeyFromAddress(recipient.address);
    expect(await verifySignature(key, read?.signature as SignatureBytes, message)).toBe(true);
  });

  it('is not shown where the program refuses, or the layer returns something else', async () => {
    const logs = ['Program x failed: custom program error: 0x178c'];
    const refused = layerWith({ err: { InstructionError: [1, { Custom: 6028 }] }, logs });
    await expect(showBalance(refused.ledgers, recipient, balance)).rejects.toMatchObject({ name: 'TransactionFailed' });
    for (const returned of [undefined, '', 'AAAA']) {
      const odd = layerWith({ err: null, logs: [], ...(returned !== undefined && { returned }) });
      await expect(showBalance(odd.ledgers, recipient, balance)).rejects.toMatchObject({ code: 'transaction-failed' });
    }
  });

  it('comes with the address of its personal account, which is there or was', async () => {
    const at = (number: number) => personalNamed(balance.mint, KEY, number).address;
    for (const [noted, personal, personalNumber] of [
      [0x8000 + 1, at(1), 1],
      [0xffff, at(32_767), 32_767],
      [7, null, 7],
    ] as const) {
      const { ledgers } = layerWith({ err: null, logs: [], returned: shown(1n, noted) });
      expect(await showBalance(ledgers, recipient, balance)).toMatchObject({ personal, personalNumber });
    }
  });
});

describe('what a recipient has asked', () => {
  const account = (withdrawals: number) =>
    Uint8Array.from(
      getPersonalEncoder().encode({
        ...{ ...BLANK_PERSONAL, mint: balance.mint, waiting: 77n },
        withdrawals: Array.from({ length: withdrawals }, (_, id) => ({
          ...{ number: 0n, amount: 1n, wallet: balance.mint, dueAt: 0n, id, inRound: 0, toCode: 0 },
        })),
      }),
    );
  const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
  const fine = (returned: string): Answer => ({ err: null, logs: [], returned });
  const failed: Answer = { err: { InstructionError: [1, { Custom: 6_000 }] }, logs: [] };
  const { address } = personalNamed(balance.mint, KEY, 3);
  const there = fine(shown(1n, 0x8000 + 3));

  it('is read in as many parts as the account has, with one signature', async () => {
    for (const withdrawals of [2, 16]) {
      const bytes = account(withdrawals);
      const parts = withdrawals === 2 ? [bytes] : [bytes.slice(0, 1_024), bytes.slice(1_024)];
      const { ledgers, asked } = layerWith(there, ...parts.map((part) => fine(text(part))));
      const signed: unknown[] = [];
      const signer = {
        address: recipient.address,
        signMessages: (messages: Parameters<typeof recipient.signMessages>[0]) => {
          signed.push(messages);
          return recipient.signMessages(messages);
        },
      };
      const personal = await showPersonal(ledgers, signer, balance);
      expect(personal).toEqual({ ...getPersonalDecoder().decode(bytes), address });
      expect(personal?.withdrawals).toHaveLength(withdrawals);
      expect([signed.length, asked.length]).toEqual([1, 1 + parts.length]);
      for (const [place, wire] of asked.slice(1).entries()) {
        const { staticAccounts, instructions } = decodeTransaction(wire).message;
        const { accountIndices = [], data } = instructions[1] ?? { accountIndices: [] };
        expect(accountIndices.map((index) => staticAccounts[index])).toEqual([address, INSTRUCTIONS_SYSVAR_ADDRESS]);
        const { from } = getShowPersonalInstructionDataDecoder().decode(Uint8Array.from(data ?? []));
        expect(from).toBe(1_024 * place);
      }
    }
  });

  it('is nothing where there is no account, which is not asked for then', async () => {
    const { ledgers, asked } = layerWith(fine(shown(1n, 3)));
    expect(await showPersonal(ledgers, recipient, balance)).toBeUndefined();
    expect(asked).toHaveLength(1);
  });

  it('is looked for again where the account has gone meanwhile, once', async () => {
    const gone = layerWith(there, failed, fine(shown(1n, 3)));
    expect(await showPersonal(gone.ledgers, recipient, balance)).toBeUndefined();
    const another = layerWith(there, failed, fine(shown(1n, 0x8000 + 4)), fine(text(account(1))));
    const next = personalNamed(balance.mint, KEY, 4).address;
    expect(await showPersonal(another.ledgers, recipient, balance)).toMatchObject({ address: next, waiting: 77n });
    const refused = layerWith(there, failed, there, failed);
    await expect(showPersonal(refused.ledgers, recipient, balance)).rejects.toMatchObject({
      name: 'TransactionFailed',
    });
    expect(refused.asked).toHaveLength(4);
  });

  it('is asked for with a new signature when the last one is about to end', async () => {
    let now = NOW;
    const { ledgers, asked } = layerWith(there, fine(text(account(1))), there, fine(text(account(1))), there);
    const reader = new BalanceReader({ ...ledgers, time: { ...time, now: () => now } }, recipient, balance);
    const signatureOf = (wire: string) => decodeTransaction(wire).message.instructions[0]?.data;
    await reader.personal();
    now += 240_000;
    await reader.personal();
    now += 1_000;
    await reader.balance();
    expect(signatureOf(asked[3] as string)).toEqual(signatureOf(asked[0] as string));
    expect(signatureOf(asked[4] as string)).not.toEqual(signatureOf(asked[0] as string));
  });
});

describe('the making of the next personal account', () => {
  const next = { mint: balance.mint, personalNumber: 32_766, personalKey: KEY };
  const tried = async (...answers: readonly (Error | undefined)[]) => {
    const made: number[] = [];
    const make = async ({ number, address: at }: PersonalName) => {
      expect(at).toBe(personalNamed(balance.mint, KEY, number).address);
      made.push(number);
      const answer = answers[made.length - 1];
      if (answer !== undefined) throw answer;
    };
    const found = await makePersonal(next, make).catch((error: Error) => error);
    return { made, found };
  };
  const failed = (code: string) => new TransactionFailed(code, '', []);
  const refused = (reason?: string) => new ApiFailed('', { code: 'transaction-refused', reason });

  it('takes the next number, and further ones where it may be the address that is refused, three in all', async () => {
    expect(await tried(undefined)).toMatchObject({ made: [32_767] });
    for (const error of [
      failed('transaction-failed'),
      failed('PermissionNotSet'),
      refused(),
      refused('PermissionNotSet'),
    ]) {
      const { address } = personalNamed(balance.mint, KEY, 1);
      expect(await tried(error, undefined)).toEqual({ made: [32_767, 1], found: address });
      expect(await tried(error, error, error)).toEqual({ made: [32_767, 1, 2], found: error });
    }
  });

  it('is tried once where it is the balance that is refused, or nobody answers', async () => {
    const silent = new ApiFailed('', { code: 'unreachable' });
    for (const error of [failed('NotOwner'), failed('sol-missing'), refused('PersonalExists'), silent, new Error('')]) {
      expect(await tried(error)).toEqual({ made: [32_767], found: error });
    }
  });
});
