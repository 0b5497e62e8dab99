import {
  type Address,
  generateKeyPairSigner,
  getPublicKeyFromAddress,
  type SignatureBytes,
  verifySignature,
} from '@solana/kit';
import { describe, expect, it } from 'vitest';
import {
  ED25519_PROGRAM_ADDRESS,
  getShowBalanceInstructionDataDecoder,
  INSTRUCTIONS_SYSVAR_ADDRESS,
  type Ledgers,
  openingOf,
  ownerRecord,
  PAYOUT_LEDGER_PROGRAM_ADDRESS,
  readAuthorisation,
  readingMessage,
  showBalance,
} from '../src/index.ts';
import { decodeTransaction, lifetime, randomAddress, randomLeaves } from './support.ts';

const recipient = await generateKeyPairSigner();
const NOW = 1_800_000_000_000;
const time = { now: () => NOW } as Ledgers['time'];
const [{ salt, delivery }] = randomLeaves(1) as [ReturnType<typeof randomLeaves>[number]];
const balance = { page: randomAddress(), slot: 17, salt, delivery };

const u64 = (amount: bigint) => Buffer.from(BigUint64Array.of(amount).buffer).toString('base64');

type Answer = { readonly err: unknown; readonly logs: readonly string[]; readonly returned?: string };

/** A layer that answers one simulation, and what it was asked. */
function layerWith({ err, logs, returned }: Answer) {
  const asked: string[] = [];
  const sent = <T>(value: T) => ({ send: async () => ({ value }) });
  const layer = {
    getLatestBlockhash: () => sent(lifetime),
    simulateTransaction: (wire: string) => {
      asked.push(wire);
      const returnData = returned === undefined ? null : { data: [returned, 'base64'], programId: '' };
      return sent({ err, logs, returnData });
    },
  };
  return { ledgers: { layer: layer as unknown as Ledgers['layer'], time }, asked };
}

describe('a balance that its recipient has shown', () => {
  it('is asked for by their signature over program, owner and a time, right before the instruction', async () => {
    const { ledgers, asked } = layerWith({ err: null, logs: [], returned: u64(1_250n) });
    expect(await showBalance(ledgers, recipient, balance)).toBe(1_250n);
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
});
