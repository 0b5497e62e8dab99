import { buildTransaction, DELEGATION_PROGRAM_ADDRESS, findDelegationAddresses, type Ledgers } from '@payouts/client';
import {
  AccountRole,
  type Address,
  generateKeyPairSigner,
  getAddressEncoder,
  getProgramDerivedAddress,
  getStructEncoder,
  getU8Encoder,
  getU32Encoder,
  getU64Encoder,
  type Instruction,
  type KeyPairSigner,
  lamports,
} from '@solana/kit';
import { getAssignInstruction, getTransferSolInstruction, SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system';

/** Wallets that send, one transfer in flight each. */
const SENDERS = 16;

/**
 * Delegates a wallet itself: it is assigned to the delegation program, which notes that its owner is the system program.
 * Layout of the delegation program's instruction 0: u64 0, commit frequency u32, seeds (none) u32, validator as option u8 and address.
 */
async function delegateWallet(payer: KeyPairSigner, wallet: KeyPairSigner, validator: Address): Promise<Instruction[]> {
  const { delegationRecord, delegationMetadata } = await findDelegationAddresses(wallet.address);
  const [buffer] = await getProgramDerivedAddress({
    programAddress: SYSTEM_PROGRAM_ADDRESS,
    seeds: ['buffer', getAddressEncoder().encode(wallet.address)],
  });
  const data = getStructEncoder([
    ['selector', getU64Encoder()],
    ['commitFrequencyMs', getU32Encoder()],
    ['seeds', getU32Encoder()],
    ['some', getU8Encoder()],
    ['validator', getAddressEncoder()],
  ]).encode({ selector: 0n, commitFrequencyMs: 0xffff_ffff, seeds: 0, some: 1, validator });
  return [
    getAssignInstruction({ account: wallet, programAddress: DELEGATION_PROGRAM_ADDRESS }),
    {
      programAddress: DELEGATION_PROGRAM_ADDRESS,
      accounts: [
        { address: payer.address, role: AccountRole.WRITABLE_SIGNER },
        { address: wallet.address, role: AccountRole.WRITABLE_SIGNER },
        { address: SYSTEM_PROGRAM_ADDRESS, role: AccountRole.READONLY },
        { address: buffer, role: AccountRole.WRITABLE },
        { address: delegationRecord, role: AccountRole.WRITABLE },
        { address: delegationMetadata, role: AccountRole.WRITABLE },
        { address: SYSTEM_PROGRAM_ADDRESS, role: AccountRole.READONLY },
      ],
      data,
    },
  ];
}

/** The limit that claims are held against: plain transfers between delegated wallets, one per transaction. */
export interface RawTransfers {
  readonly transfers: number;
  readonly seconds: number;
}

/**
 * Sends `count` single transfers to the execution layer, 16 in flight, and waits until the balances show every one of them.
 *
 * @throws when a transfer was lost
 */
export async function measureRawTransfers(
  ledgers: Ledgers,
  payer: KeyPairSigner,
  validator: Address,
  count: number,
  sendToBase: (instructions: readonly Instruction[]) => Promise<unknown>,
): Promise<RawTransfers> {
  const wallets = await Promise.all(Array.from({ length: SENDERS + 1 }, () => generateKeyPairSigner()));
  for (const wallet of wallets) {
    await sendToBase([
      getTransferSolInstruction({ source: payer, destination: wallet.address, amount: lamports(1_000_000_000n) }),
      ...(await delegateWallet(payer, wallet, validator)),
    ]);
  }
  const sink = wallets[0] as KeyPairSigner;
  const balance = async () => (await ledgers.layer.getBalance(sink.address).send()).value;
  while ((await balance()) === 0n) await new Promise((resolve) => setTimeout(resolve, 20));
  const before = await balance();

  const { value: lifetime } = await ledgers.layer.getLatestBlockhash().send();
  const each = Math.ceil(count / SENDERS);
  const signed = await Promise.all(
    wallets.slice(1).map((wallet) =>
      Promise.all(
        Array.from({ length: each }, (_, place) =>
          // The amounts differ, so that no two transactions are the same.
          buildTransaction({
            feePayer: wallet,
            instructions: [
              getTransferSolInstruction({
                source: wallet,
                destination: sink.address,
                amount: lamports(BigInt(place + 1)),
              }),
            ],
            lifetime,
          }),
        ),
      ),
    ),
  );
  const total = BigInt(SENDERS) * ((BigInt(each) * BigInt(each + 1)) / 2n);

  const begun = performance.now();
  await Promise.all(
    signed.map(async (own) => {
      for (const { wire } of own) {
        await ledgers.layer.sendTransaction(wire, { encoding: 'base64', skipPreflight: true }).send();
      }
    }),
  );
  while ((await balance()) < before + total) {
    if (performance.now() - begun > 60_000) throw new Error('The execution layer lost transfers.');
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  return { transfers: each * SENDERS, seconds: (performance.now() - begun) / 1000 };
}
