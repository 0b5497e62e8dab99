import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  cancelSchedule,
  declareLoss,
  reclaimWindow,
  redeem,
  requestTransfer,
  requestWithdrawal,
  walletTokens,
  withdraw,
} from '@payouts/cli';
import {
  addressFromBytes,
  type BalancePlace,
  fetchMaybePage,
  fetchSchedule,
  fetchVault,
  findPageAddress,
  findTokenAddress,
  getExecuteTransferInstructionAsync,
  isBitSet,
  type LiabilityProof,
  placeOfWithdrawal,
  RecipientClient,
  ScheduleStatus,
  sendToLayer,
  systemTime,
} from '@payouts/client';
import { claimRange, openWindow } from '@payouts/testing/claims';
import { personalSeen, underWay } from '@payouts/testing/underWay';
import { freshWallet, makeHostile, personAt, variedPayees } from '@payouts/testing/wallets';
import { type Employer, until, World } from '@payouts/testing/world';
import { type Address, getBase64Encoder } from '@solana/kit';
import { getMintDecoder } from '@solana-program/token';
import { beforeAll, expect, it } from 'vitest';

const GRACE = 86_400;
const AMOUNT = 1_000_000n;
/** Of the open window's list: claims that a recording knows, and all that were claimed. */
const RECORDED = 6;
const CLAIMED = 9;
/** What two recipients pay to a third one's payment code: before the last recording, and after it. */
const [TRANSFERRED, TOO_LATE] = [345_000n, 210_000n];

let world: World;
/** Paid a window by the coordinator; two more are promised. */
let settled: Employer;
/** Its window is open when the layer is lost. */
let open: Employer;
/** Its window opened after the last recording. */
let late: Employer;

beforeAll(async () => {
  world = await World.start();
  await world.startCoordinator();
  settled = await world.employer(await variedPayees(12, AMOUNT), { executions: 3 });
  await world.registerAndSettle(settled);
  // Nobody registers these: their windows are opened and claimed by hand, beside the coordinator.
  open = await world.promise(settled, await variedPayees(10, 10n * AMOUNT), { id: 1n, batchTimeout: 3_600 });
  late = await world.promise(settled, await variedPayees(4, 100n * AMOUNT), { id: 2n, batchTimeout: 3_600 });
});

const request = (index: number, amount: bigint | 'all', wallet: Address) =>
  requestWithdrawal(world.ledgers, { ...personAt(settled, index), amount, wallet });

/** A recipient's payment code, and pays to it by the layer alone. */
async function payeeAt(index: number) {
  const { recipient: signer } = personAt(settled, index);
  const client = new RecipientClient({ apiUrl: world.apiUrl, signer, time: systemTime });
  const paymentCode = await client.paymentCode(settled.mint);
  const pay = (from: number, amount: bigint) =>
    requestTransfer(world.ledgers, { ...personAt(settled, from), amount, paymentCode });
  const balance = async () => (await client.balances()).balances.find(({ schedules }) => schedules.length === 0);
  return { pay, balance };
}

/** Makes the transfer that waits in a balance as the execution authority, without a coordinator. */
async function executeTransfer(from: number, to: BalancePlace): Promise<void> {
  const { authority, ledgers } = world;
  const { mint, balance } = personAt(settled, from);
  const personal = await personalSeen(ledgers, balance);
  const transfer = personal?.withdrawals.find(({ amount, toCode }) => amount !== 0n && toCode === 1);
  if (personal === undefined || transfer === undefined) throw new Error('No transfer waits there.');
  const terms = { authority, personal: personal.address, page: personal.page, mint, id: transfer.id };
  const instruction = await getExecuteTransferInstructionAsync({ ...terms, destination: to.page, slot: to.slot });
  await sendToLayer(ledgers, [instruction], authority);
}

it('divides the pool exactly when the execution layer is lost, by the database and the base ledger alone', async () => {
  const { ledgers, admin, guardian } = world;
  const { mint, vault } = settled;

  const payee = await payeeAt(6);
  await payee.pay(5, TRANSFERRED);
  const code = await until(async () => {
    const balance = await payee.balance();
    return balance?.amount === TRANSFERRED ? balance : undefined;
  }, 'the transfer to be made');

  // Two recipients withdraw, one everything and one a part; another's wallet takes nothing, so theirs stays under way.
  const paidOut = new Map<number, bigint>();
  for (const [index, amount] of [
    [0, 'all'],
    [1, 400_000n],
  ] as const) {
    const wallet = await freshWallet();
    paidOut.set(index, await withdraw(ledgers, { ...personAt(settled, index), wallet, amount }));
  }
  await openWindow(world, open, 0n);
  await claimRange(world, open, 0, RECORDED);
  const hostile = await freshWallet();
  await makeHostile(world, mint, hostile, { frozen: true });
  // Two withdrawals of one balance at a time, each of which has a leaf of its own.
  await request(2, 300_000n, hostile);
  await request(2, 200_000n, hostile);
  await until(async () => {
    const found = await underWay(ledgers, personAt(settled, 2).balance);
    return found.length === 2 && found.every(({ dueAt }) => dueAt !== 0n);
  }, 'the withdrawals to be issued');
  await world.stopCoordinator();
  await world.checkMoneyRules(settled, open);
  await world.checkLiabilities(settled, [
    ...settled.balances,
    code.address,
    ...open.balances.slice(0, RECORDED),
    open.schedule,
  ]);

  // After the last recording: a request, a private transfer, more claims, and a further window.
  await request(3, 'all', await freshWallet());
  await payee.pay(7, TOO_LATE);
  await executeTransfer(7, code.place as BalancePlace);
  await claimRange(world, open, RECORDED, CLAIMED);
  await openWindow(world, late, 0n);
  await claimRange(world, late, 0, 2);

  await world.localnet.killLayer();
  await rm(join(world.folder, 'localnet', 'layer', 'storage'), { recursive: true });
  const recorded = [...settled.balances, code.address, ...open.balances.slice(0, RECORDED)];
  const proofs = await world.liabilityProofs([...recorded, open.schedule]);
  const ofWindow = proofs.pop() as LiabilityProof;
  const proofsOf = (owner: Address) =>
    proofs.filter(({ leaf }) => leaf.kind === 'balance' && addressFromBytes(leaf.owner) === owner);
  await expect(world.liabilityProofs([open.balances[RECORDED] as Address])).rejects.toThrow('no leaf for 1 of 1');
  await expect(world.liabilityProofs([late.schedule])).rejects.toThrow('no leaf for 1 of 1');

  const redeemers = [
    ...settled.balances.map((_, index) => personAt(settled, index)),
    ...open.balances.slice(0, RECORDED).map((_, index) => personAt(open, index)),
  ];
  const { recipient: owner, balance, owner: address } = personAt(settled, 3);
  const first = { recipient: owner, payer: admin, proof: onlyOf(proofsOf(address)), salt: balance.salt };
  await expect(redeem(ledgers, first)).rejects.toMatchObject({ code: 'LayerNotLost' });
  await declareLoss(ledgers, { governance: admin, guardian, payer: admin });
  await expect(redeem(ledgers, first)).rejects.toMatchObject({ code: 'LayerNotLost' });
  await world.localnet.admin.advanceClock(GRACE + 1);

  const openPaid = open.list.recipients.slice(0, RECORDED).reduce((sum, { amount }) => sum + amount, 0n);
  for (const [place, person] of redeemers.entries()) {
    const { recipient, amount } = person;
    const gone = (paidOut.get(place) ?? 0n) + (place === 5 ? TRANSFERRED : 0n);
    const liabilities = place < settled.balances.length ? amount - gone : amount;
    const own = proofsOf(person.owner);
    // The balance, and each of its withdrawals under way; of what is paid, nothing is due.
    expect(own.length).toBeGreaterThanOrEqual(place === 2 ? 3 : 1);
    for (const proof of own) {
      const redeeming = redeem(ledgers, { recipient, payer: admin, proof, salt: person.balance.salt });
      const refusal = await refusalOf(proof);
      if (refusal === undefined) await redeeming;
      else await expect(redeeming).rejects.toMatchObject({ code: refusal });
    }
    expect(await walletTokens(ledgers, recipient.address, mint)).toBe(liabilities);
  }
  // What was paid to a code before the last recording is the payee's; what came after it, the payer's still.
  const { recipient: theirs } = personAt(settled, 6);
  const salt = new Uint8Array(Buffer.from(code.salt, 'hex'));
  const before = await walletTokens(ledgers, theirs.address, mint);
  await redeem(ledgers, { recipient: theirs, payer: admin, proof: onlyOf(proofsOf(code.address)), salt });
  expect(await walletTokens(ledgers, theirs.address, mint)).toBe(before + TRANSFERRED);
  // By another payer: the very same transaction would be refused as one that was processed.
  const again = { ...first, payer: settled.signer };
  await expect(redeem(ledgers, again)).rejects.toMatchObject({ code: 'AlreadyRedeemed' });
  const forged = { ...first.proof, leaf: { ...first.proof.leaf, index: first.proof.leaf.index + 1 } };
  await expect(redeem(ledgers, { ...first, proof: forged })).rejects.toMatchObject({ code: 'InvalidProof' });
  // Whoever knows a balance's secret and has its proof, but not its recipient's key, opens no leaf.
  const { balance: other, owner: others } = personAt(settled, 4);
  const stolen = { ...again, proof: onlyOf(proofsOf(others)), salt: other.salt };
  await expect(redeem(ledgers, stolen)).rejects.toMatchObject({ code: 'InvalidProof' });

  // The employer gets back what the open window had not paid by the last recording, and the whole of the one opened after it.
  const reclaim = { payer: admin, mint, vault };
  await expect(reclaimWindow(ledgers, { ...reclaim, schedule: open.schedule })).rejects.toMatchObject({
    code: 'InvalidProof',
  });
  await reclaimWindow(ledgers, { ...reclaim, schedule: open.schedule, proof: ofWindow });
  await reclaimWindow(ledgers, { ...reclaim, schedule: late.schedule });
  await cancelSchedule(ledgers, { employer: settled.signer, vault, schedule: settled.schedule });

  const pool = await world.pool(settled);
  expect(pool.held).toBe(0n);
  expect(pool.open).toBe(0n);
  const poolTokens = await tokensAt(pool.tokenAccount);
  expect(poolTokens).toBe(0n);
  const { data: account } = await fetchVault(ledgers.base, vault);
  expect(account).toMatchObject({ reserved: 0n, open: 0n, paid: settled.list.total + openPaid });
  const vaultTokens = await tokensAt(account.tokenAccount);
  expect(vaultTokens).toBe(account.deposited - account.withdrawn - account.paid);
  for (const { schedule } of [settled, open, late]) {
    expect((await fetchSchedule(ledgers.base, schedule)).data.status).toBe(ScheduleStatus.Cancelled);
  }

  // Every token that was ever made is with a recipient, in a wallet, in the vault or still with the employer.
  const withRecipients = await Promise.all(
    [settled, open, late].flatMap(({ list }) =>
      list.recipients.map(({ recipient }) => walletTokens(ledgers, recipient as Address, mint)),
    ),
  );
  const inWallets = [...paidOut.values()].reduce((sum, amount) => sum + amount, 0n);
  const employers = await tokensAt(await findTokenAddress(settled.signer.address, mint));
  const all = withRecipients.reduce((sum, amount) => sum + amount, 0n) + inWallets + vaultTokens + employers;
  const { value } = await ledgers.base.getAccountInfo(mint, { encoding: 'base64' }).send();
  expect(all).toBe(getMintDecoder().decode(getBase64Encoder().encode(value?.data[0] ?? '')).supply);
});

/** The proof of a balance of which nothing is under way. */
function onlyOf([proof, ...others]: readonly LiabilityProof[]): LiabilityProof {
  expect(others).toEqual([]);
  return proof as LiabilityProof;
}

/** Why nothing is due of a leaf: it is empty, or the base ledger has paid its withdrawal; undefined: something is. */
async function refusalOf({ mint, leaf }: LiabilityProof): Promise<'ZeroAmount' | 'WithdrawalAlreadyPaid' | undefined> {
  if (leaf.kind !== 'balance' || leaf.amount === 0n) return 'ZeroAmount';
  if (leaf.number === 0n) return undefined;
  const page = await fetchMaybePage(world.ledgers.base, await findPageAddress(mint, leaf.number));
  const isPaid = page.exists && isBitSet(page.data.bitmap as Uint8Array, placeOfWithdrawal(leaf.number).bit);
  return isPaid ? 'WithdrawalAlreadyPaid' : undefined;
}

async function tokensAt(tokenAccount: Address): Promise<bigint> {
  const { value } = await world.ledgers.base.getTokenAccountBalance(tokenAccount).send();
  return BigInt(value.amount);
}
