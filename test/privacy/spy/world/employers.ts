import { randomBytes } from 'node:crypto';
import { createSchedule, openVault } from '@payouts/cli';
import {
  addressFromBytes,
  deriveSalt,
  findConfigAddress,
  findTokenAddress,
  getDepositInstruction,
  getUpdateRecipientsInstruction,
  ownerRecord,
  prepareList,
  type RecipientList,
  sendToBase,
  TOKEN_PROGRAM_ADDRESS,
} from '@payouts/client';
import { createSampleToken } from '@payouts/sandbox';
import { recordList } from '@payouts/testing/recordList';
import { type Employer, SUPPLY, type World } from '@payouts/testing/world';
import { type Address, generateKeyPairSigner, type KeyPairSigner } from '@solana/kit';
import { type People, type Person, PLANS } from './people.ts';

/** Windows that are paid. */
const WINDOWS = 3;
/** Seconds between two. */
export const INTERVAL = 3_600;

/** An employer who gives each recipient one salt for all lists, as the documentation says. */
export type Payer = Employer & {
  readonly secret: Uint8Array;
  readonly people: readonly Person[];
  /** Somebody who has an account of the token, and is paid by many. */
  readonly shop: Address;
};

/** A list of these people; the same salts for the same employer. */
function listOf(people: readonly Person[], secret: Uint8Array, mint: Address) {
  const list = prepareList(
    people.map(({ payee }) => payee),
    { saltFor: (recipient) => deriveSalt(secret, mint, recipient) },
  );
  const balances = list.recipients.map((entry) => addressFromBytes(ownerRecord(entry).owner));
  // With salts switched off, every zero would be a secret.
  if (list.recipients.some(({ salt }) => salt.some((byte) => byte !== 0))) recordList(list);
  return { list, balances };
}

/** Everybody's vaults, lists and schedules, all due at the same times from `firstExecution` on, unix seconds. */
export async function promiseAll(world: World, people: People, firstExecution: readonly bigint[]): Promise<Payer[]> {
  const treasury = await generateKeyPairSigner();
  await world.fund(treasury.address);
  const mints: KeyPairSigner[] = [];
  for (let token = 0; token <= Math.max(...PLANS.map((plan) => plan.token)); token++) {
    const mint = await generateKeyPairSigner();
    await createSampleToken(world.ledgers, { payer: world.admin, mint, holder: treasury.address, amount: SUPPLY });
    mints.push(mint);
  }
  const payers: Payer[] = [];
  for (const [place, plan] of PLANS.entries()) {
    const mint = (mints[plan.token] as KeyPairSigner).address;
    const own = people.lists[place] as readonly Person[];
    const signer = await generateKeyPairSigner();
    await world.fund(signer.address);
    const vault = await openVault(world.ledgers, signer, mint);
    const secret = new Uint8Array(randomBytes(32));
    const { list, balances } = listOf(own, secret, mint);
    // Enough for lists that change.
    const amount = list.total * BigInt(2 * WINDOWS);
    const instruction = getDepositInstruction({
      depositor: treasury,
      sourceToken: await findTokenAddress(treasury.address, mint, TOKEN_PROGRAM_ADDRESS),
      vault,
      vaultToken: await findTokenAddress(vault, mint, TOKEN_PROGRAM_ADDRESS),
      mint,
      amount,
    });
    await sendToBase(world.ledgers, [instruction], treasury);
    const schedule = await createSchedule(world.ledgers, signer, mint, list, {
      id: 0n,
      calendar: { unit: 'seconds', every: INTERVAL, day: 0 },
      firstExecution: firstExecution[place] as bigint,
      executions: WINDOWS,
      batchTimeout: 600,
    });
    payers.push({ signer, mint, vault, schedule, list, balances, secret, people: own, shop: treasury.address });
  }
  return payers;
}

/** The same employer with another list, promised from the next window on. */
export async function replaceList(world: World, payer: Payer, people: readonly Person[]): Promise<Payer> {
  const { signer, mint, vault, schedule, secret } = payer;
  const { list, balances }: { list: RecipientList; balances: Address[] } = listOf(people, secret, mint);
  const update = getUpdateRecipientsInstruction({
    employer: signer,
    payer: signer,
    config: await findConfigAddress(),
    vault,
    schedule,
    root: list.root,
    amount: list.total,
    recipients: list.recipients.length,
    holds: 0,
    held: [],
  });
  await sendToBase(world.ledgers, [update], signer);
  return { ...payer, list, balances, people };
}
