import { type Address, generateKeyPairSigner, getSignatureFromTransaction } from '@solana/kit';
import { getCreateAccountInstruction } from '@solana-program/system';
import {
  findAssociatedTokenPda,
  getCreateAssociatedTokenIdempotentInstruction,
  getInitializeMint2Instruction,
  getMintSize,
  getMintToInstruction,
  getTransferCheckedInstruction,
  TOKEN_PROGRAM_ADDRESS,
} from '@solana-program/token';
import { expect, test } from 'vitest';
import { startWithClient } from './support.ts';

const DECIMALS = 6;

const { client } = await startWithClient();
const { rpc, payer } = client;

async function tokenAccount(mint: Address, owner: Address): Promise<Address> {
  const [ata] = await findAssociatedTokenPda({ mint, owner, tokenProgram: TOKEN_PROGRAM_ADDRESS });
  return ata;
}

test('tokens are minted, moved and read back', async () => {
  const mint = await generateKeyPairSigner();
  const recipient = (await generateKeyPairSigner()).address;
  const [mine, theirs] = [await tokenAccount(mint.address, payer.address), await tokenAccount(mint.address, recipient)];
  const space = BigInt(getMintSize());
  await client.send(
    getCreateAccountInstruction({
      payer,
      newAccount: mint,
      lamports: await rpc.getMinimumBalanceForRentExemption(space).send(),
      space,
      programAddress: TOKEN_PROGRAM_ADDRESS,
    }),
    getInitializeMint2Instruction({ mint: mint.address, decimals: DECIMALS, mintAuthority: payer.address }),
    getCreateAssociatedTokenIdempotentInstruction({ payer, ata: mine, owner: payer.address, mint: mint.address }),
    getCreateAssociatedTokenIdempotentInstruction({ payer, ata: theirs, owner: recipient, mint: mint.address }),
    getMintToInstruction({ mint: mint.address, token: mine, mintAuthority: payer, amount: 5_000_000n }),
  );
  const transfer = await client.sign([
    getTransferCheckedInstruction({
      source: mine,
      mint: mint.address,
      destination: theirs,
      authority: payer,
      amount: 1_250_000n,
      decimals: DECIMALS,
    }),
  ]);
  await client.confirm(transfer);

  const { value: balance } = await rpc.getTokenAccountBalance(theirs).send();
  expect(balance).toEqual({ amount: '1250000', decimals: DECIMALS, uiAmount: 1.25, uiAmountString: '1.25' });
  const { value: supply } = await rpc.getTokenSupply(mint.address).send();
  expect(supply.uiAmountString).toBe('5');

  const { value: owned } = await rpc
    .getTokenAccountsByOwner(recipient, { mint: mint.address }, { encoding: 'jsonParsed' })
    .send();
  expect(owned.map((entry) => entry.pubkey)).toEqual([theirs]);
  expect(owned[0]?.account.data.parsed.info.tokenAmount.amount).toBe('1250000');
  const { value: byProgram } = await rpc
    .getTokenAccountsByOwner(recipient, { programId: TOKEN_PROGRAM_ADDRESS }, { encoding: 'base64' })
    .send();
  expect(byProgram).toHaveLength(1);

  const found = await rpc
    .getTransaction(getSignatureFromTransaction(transfer), {
      maxSupportedTransactionVersion: 0,
      encoding: 'jsonParsed',
    })
    .send();
  const amounts = (balances: typeof found extends null ? never : unknown): unknown =>
    (balances as { owner: string; uiTokenAmount: { amount: string } }[])
      .filter((entry) => entry.owner === recipient)
      .map((entry) => entry.uiTokenAmount.amount);
  expect(amounts(found?.meta?.preTokenBalances)).toEqual(['0']);
  expect(amounts(found?.meta?.postTokenBalances)).toEqual(['1250000']);
});
