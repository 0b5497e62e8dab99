import { readFile } from 'node:fs/promises';
import {
  fetchMaybePage,
  fetchMaybeRedeemedPage,
  fetchMaybeVault,
  fetchPool,
  findPageAddress,
  findPoolAddress,
  findRedeemedPageAddress,
  isBitSet,
  type Ledgers,
  type LiabilityBalanceLeaf,
  type LiabilityProof,
  ledgerSeconds,
  liabilityProofFromJson,
  millisOf,
  ownerRecord,
  type PayoutDelivery,
  placeOfLiabilityLeaf,
  placeOfWithdrawal,
  redeemInstructions,
  SALT_BYTES,
  type Schedule,
  SchedulePhase,
  sendStepsToBase,
  verifyLiabilityInclusion,
} from '@payouts/client';
import { readConfig, readSchedule, readToken } from '@payouts/employer';
import type { Address, Instruction, MaybeAccount } from '@solana/kit';
import { type Command, Option } from 'commander';
import { reclaimInstruction } from '../../lossRecovery.ts';
import { withName } from '../amounts.ts';
import { isWanted } from '../confirm.ts';
import { Failure, WrongUsage } from '../failure.ts';
import { carryOut, openLedger } from '../ledgerChange.ts';
import {
  type AskOptions,
  addressOption,
  type KeyOptions,
  SCHEDULE,
  withAsking,
  withJson,
  withKey,
} from '../options.ts';
import { printResult, wrapped } from '../output.ts';
import { type LedgerOptions, withSending } from '../rpc.ts';
import { timeText } from '../timeText.ts';

type Options = KeyOptions & AskOptions & LedgerOptions;
type RedeemOptions = Options & { readonly to?: Address; readonly salt: Uint8Array; readonly delivery: PayoutDelivery };
type ReclaimOptions = Options & { readonly proof?: string };
type Base = Pick<Ledgers, 'base'>;

/** payout redeem, payout reclaim: by the base ledger alone, without a coordinator. */
export function addLossRecovery(program: Command): void {
  const changing = (command: Command) => withSending(withAsking(withJson(withKey(command))));
  changing(program.command('redeem').argument('<proof>', 'file of what the coordinator says you are owed'))
    .description('If the execution layer is lost: take your private balance out of the pool')
    .requiredOption('--salt <hex>', 'your secret: your payslips have it, and payout balance --json', saltOption)
    .addOption(
      new Option('--delivery <where>', 'what the payslips say').choices(['balance', 'wallet']).default('balance'),
    )
    .option('--to <wallet>', 'where the tokens go (default: your own wallet)', addressOption)
    .action(redeem);
  changing(program.command('reclaim').argument(...SCHEDULE))
    .description('If the execution layer is lost: bring an open window back to its vault; anybody may')
    .option('--proof <file>', 'what the coordinator says of the window, if it was recorded')
    .action(reclaim);
}

/** A salt as payslips have it. Throws `WrongUsage`. */
function saltOption(text: string): Uint8Array {
  const salt = new Uint8Array(Buffer.from(text, 'hex'));
  if (salt.length !== SALT_BYTES || text.length !== 2 * SALT_BYTES) {
    throw new WrongUsage(`--salt takes ${2 * SALT_BYTES} hexadecimal digits.`);
  }
  return salt;
}

/** Throws `Failure` layer-not-lost until the layer is lost for good. */
async function mustBeLost({ base }: Base): Promise<void> {
  const { lossDeclaredAt, lossGrace } = await readConfig({ base });
  if (lossDeclaredAt === 0n) {
    throw new Failure('layer-not-lost', 'The execution layer is not declared lost: payout withdraw takes tokens out.');
  }
  const from = lossDeclaredAt + BigInt(lossGrace);
  if ((await ledgerSeconds(base)) < from) {
    throw new Failure(
      'layer-not-lost',
      `The execution layer is declared lost, and is so from ${timeText(millisOf(from))} on.`,
    );
  }
}

/** The proofs in a file as `liability-proof` prints it. Throws `Failure` proof-unreadable. */
async function proofsIn(file: string): Promise<LiabilityProof[]> {
  try {
    return [JSON.parse(await readFile(file, 'utf8')) as unknown].flat().map(liabilityProofFromJson);
  } catch (cause) {
    throw new Failure(
      'proof-unreadable',
      `${file} holds no proof. The coordinator's operator makes it: payout operator liability-proof --balance ADDRESS`,
      { cause },
    );
  }
}

/** The proofs in a file for which this holds, under the roots that the ledger has. Throws `Failure` proof-unfit or proof-old. */
async function proofsFor(
  { base }: Base,
  file: string,
  { is, whose }: { readonly is: (proof: LiabilityProof) => boolean; readonly whose: string },
): Promise<LiabilityProof[]> {
  const found = (await proofsIn(file)).filter(is);
  if (found.length === 0) throw new Failure('proof-unfit', `${file} holds no proof of ${whose}.`);
  for (const { mint, leaf, proof } of found) {
    const { data: pool } = await fetchPool(base, await findPoolAddress(mint), { commitment: 'finalized' });
    const recorded = { liabilitiesRoot: Uint8Array.from(pool.liabilitiesRoot), liabilityLeaves: pool.liabilityLeaves };
    if (verifyLiabilityInclusion({ pool: recorded, leaf, proof })) continue;
    throw new Failure(
      'proof-old',
      'The proof is of another recording than the ledger holds. Ask the operator of the coordinator for a new one.',
    );
  }
  return found;
}

/** Whether a bit of a page is set; none is while the page is not there. */
const isMarked = (page: MaybeAccount<{ readonly bitmap: ArrayLike<number> }>, bit: number): boolean =>
  page.exists && isBitSet(page.data.bitmap, bit);

/** Base units that a leaf is owed, without a withdrawal that the ledger has paid; `redeemed`: it was taken out of the pool already. */
async function dueOf({ base }: Base, mint: Address, leaf: LiabilityBalanceLeaf): Promise<bigint | 'redeemed'> {
  const redeemed = await fetchMaybeRedeemedPage(base, await findRedeemedPageAddress(mint, leaf.index));
  if (isMarked(redeemed, placeOfLiabilityLeaf(leaf.index).bit)) return 'redeemed';
  const { number, amount } = leaf;
  if (number === 0n) return amount;
  const page = await fetchMaybePage(base, await findPageAddress(mint, number));
  return isMarked(page, placeOfWithdrawal(number).bit) ? 0n : amount;
}

/** What is due of one token: of the balance, and of its withdrawals under way. */
type Due = {
  readonly mint: Address;
  readonly leaf: LiabilityBalanceLeaf;
  readonly proof: LiabilityProof['proof'];
  readonly amount: bigint;
};

/** What is due by these proofs. Throws `Failure` already-redeemed or nothing-due where nothing is. */
async function duesOf(ledgers: Base, proofs: readonly LiabilityProof[]): Promise<Due[]> {
  const dues: Due[] = [];
  let isRedeemed = false;
  for (const { mint, leaf, proof } of proofs) {
    if (leaf.kind !== 'balance') continue;
    const amount = await dueOf(ledgers, mint, leaf);
    if (amount === 'redeemed') isRedeemed = true;
    else if (amount > 0n) dues.push({ mint, leaf, proof, amount });
  }
  if (dues.length > 0) return dues;
  if (isRedeemed) throw new Failure('already-redeemed', 'This balance was taken out of the pool already.');
  throw new Failure('nothing-due', 'This balance was empty when it was recorded last.');
}

async function redeem(file: string, options: RedeemOptions): Promise<void> {
  const { signer: recipient, ledgers } = await openLedger(options);
  await mustBeLost(ledgers);
  const { salt, delivery } = options;
  const { owner } = ownerRecord({ recipient: recipient.address, salt, delivery });
  const isOwn = ({ leaf }: LiabilityProof) => leaf.kind === 'balance' && Buffer.compare(leaf.owner, owner) === 0;
  const proofs = await proofsFor(ledgers, file, { is: isOwn, whose: `a balance of ${recipient.address}` });
  const dues = await duesOf(ledgers, proofs);
  const wallet = options.to ?? recipient.address;
  const what: string[] = [];
  const steps: Instruction[][] = [];
  const totals: { readonly mint: Address; readonly amount: bigint; readonly name: string }[] = [];
  for (const mint of new Set(dues.map((due) => due.mint))) {
    const token = await readToken(ledgers, mint);
    const ofToken = dues.filter((due) => due.mint === mint);
    const amount = ofToken.reduce((sum, due) => sum + due.amount, 0n);
    totals.push({ mint, amount, name: withName(amount, token) });
    what.push(`Takes ${withName(amount, token)} out of the pool, once and for all`);
    const terms = { recipient, salt, delivery, mint, tokenProgram: token.program, wallet };
    for (const { leaf, proof } of ofToken) steps.push(await redeemInstructions({ ...terms, leaf, proof }));
  }
  what.push(
    `  to ${wallet}`,
    ...wrapped('Everybody can see on the ledger that your key takes them, and where they go.'),
  );
  const plan = { wallet, taken: totals.map(({ mint, amount }) => ({ mint, amount })) };
  if (!(await isWanted(what, options, plan))) return;
  const signatures = await sendStepsToBase(ledgers, [steps], recipient);
  const done = `${totals.map(({ name }) => name).join(' and ')} paid to ${wallet}`;
  printResult(options, { ...plan, signatures }, done);
}

/** The proof that a window needs: none if it opened after the last recording. Throws `Failure` proof-missing. */
async function windowProof(
  ledgers: Base,
  address: Address,
  schedule: Schedule,
  { proof: file }: ReclaimOptions,
): Promise<LiabilityProof | undefined> {
  const { data: pool } = await fetchPool(ledgers.base, await findPoolAddress(schedule.mint), {
    commitment: 'finalized',
  });
  if (schedule.windowOpening > pool.recordedOpenings) return undefined;
  if (file === undefined) {
    throw new Failure(
      'proof-missing',
      `What window ${schedule.window} has paid is recorded, and takes a proof: --proof FILE. Its operator makes it: payout operator liability-proof --balance ${address}`,
    );
  }
  const { window } = schedule;
  const is = ({ leaf }: LiabilityProof) =>
    leaf.kind === 'window' && leaf.schedule === address && leaf.window === window;
  return (await proofsFor(ledgers, file, { is, whose: `window ${window} of ${address}` }))[0];
}

async function reclaim(address: Address, options: ReclaimOptions): Promise<void> {
  const session = await openLedger(options);
  const { ledgers } = session;
  await mustBeLost(ledgers);
  const schedule = await readSchedule(ledgers, address);
  const { mint, vault, window, windowAmount } = schedule;
  if (schedule.phase !== SchedulePhase.Open) {
    throw new Failure('window-not-open', `No window of ${address} is open: there is nothing to bring back.`);
  }
  const proof = await windowProof(ledgers, address, schedule, options);
  const paid = proof?.leaf.kind === 'window' ? proof.leaf.paid : 0n;
  const returned = windowAmount - paid;
  const token = await readToken(ledgers, mint);
  const owner = await fetchMaybeVault(ledgers.base, vault, { commitment: 'finalized' });
  await carryOut(session, options, {
    what: [
      `Ends window ${window}, of which ${withName(paid, token)} of ${withName(windowAmount, token)} are paid.`,
      `  ${withName(returned, token)} go back to the vault`,
      `  ${vault}`,
      ...(owner.exists ? [`  of ${owner.data.employer}`] : []),
      'Its schedule is cancelled with it.',
    ],
    plan: { schedule: address, window, paid, returned },
    instruction: await reclaimInstruction({ mint, tokenProgram: token.program, vault, schedule: address, proof }),
    done: `${withName(returned, token)} are back in the vault.`,
    result: { schedule: address, window, paid, returned },
  });
}
