import { findTokenAddress, getWithdrawApprovedInstructionAsync, toBase64 } from '@payouts/client';
import {
  type Address,
  appendTransactionMessageInstructions,
  type Blockhash,
  blockhash,
  compileTransaction,
  createNoopSigner,
  createTransactionMessage,
  generateKeyPairSigner,
  getTransactionEncoder,
  type Instruction,
  type KeyPairSigner,
  partiallySignTransaction,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/kit';
import { getTransferInstruction, TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import { beforeAll, expect, it } from 'vitest';
import { askedWithdrawal, Failure } from '../src/index.ts';

let employer: KeyPairSigner;
let approver: KeyPairSigner;
let stranger: KeyPairSigner;
let mint: Address;

beforeAll(async () => {
  const keys = await Promise.all(Array.from({ length: 4 }, () => generateKeyPairSigner()));
  [employer, approver, stranger] = keys as [KeyPairSigner, KeyPairSigner, KeyPairSigner];
  mint = (keys[3] as KeyPairSigner).address;
});

const withdrawalTo = async (owner: Address): Promise<Instruction> =>
  getWithdrawApprovedInstructionAsync({
    employer: createNoopSigner(employer.address),
    approver: createNoopSigner(approver.address),
    vaultToken: stranger.address,
    destinationToken: await findTokenAddress(owner, mint, TOKEN_PROGRAM_ADDRESS),
    mint,
    tokenProgram: TOKEN_PROGRAM_ADDRESS,
    amount: 5n,
  });

/** A transaction as an approver is given it. */
async function given(
  instructions: readonly Instruction[],
  { payer = employer.address, signs = [employer] }: { payer?: Address; signs?: readonly KeyPairSigner[] } = {},
): Promise<string> {
  const lifetime = { blockhash: blockhash(mint) as Blockhash, lastValidBlockHeight: 1n };
  const message = pipe(
    createTransactionMessage({ version: 0 }),
    (each) => setTransactionMessageFeePayer(payer, each),
    (each) => setTransactionMessageLifetimeUsingBlockhash(lifetime, each),
    (each) => appendTransactionMessageInstructions(instructions, each),
  );
  const signed = await partiallySignTransaction(
    signs.map(({ keyPair }) => keyPair),
    compileTransaction(message),
  );
  return toBase64(new Uint8Array(getTransactionEncoder().encode(signed)));
}

/** The code by which it is refused, before any ledger is asked. */
async function refusal(text: string, signer = approver): Promise<string> {
  const ledgers = new Proxy({}, { get: () => expect.unreachable('A ledger was asked.') }) as never;
  const session = { employer: createNoopSigner(signer.address), ledgers, timeText: String };
  const error = await askedWithdrawal(session, text).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(Failure);
  return (error as Failure).code;
}

it('is refused by the approver’s page where it does more, pays another wallet, or is not theirs to sign', async () => {
  const own = await withdrawalTo(employer.address);
  const theft = getTransferInstruction({
    source: stranger.address,
    destination: mint,
    authority: createNoopSigner(approver.address),
    amount: 1n,
  });
  expect(await refusal('not base 64 at all!')).toBe('not-a-withdrawal');
  expect(await refusal(await given([own, theft]))).toBe('not-a-withdrawal');
  expect(await refusal(await given([own, own]))).toBe('not-a-withdrawal');
  expect(await refusal(await given([]))).toBe('not-a-withdrawal');
  expect(await refusal(await given([own], { payer: approver.address }))).toBe('not-a-withdrawal');
  expect(await refusal(await given([own], { signs: [] }))).toBe('employer-unsigned');
  expect(await refusal(await given([own]), stranger)).toBe('not-approver');
  expect(await refusal(await given([await withdrawalTo(stranger.address)]))).toBe('not-own-wallet');
});
