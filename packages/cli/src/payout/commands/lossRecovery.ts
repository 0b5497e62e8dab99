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
  liabilityProofFromJson,
  millisOf,
  ownerRecord,
  type PayoutDelivery,
  type Pool,
  placeOfLiabilityLeaf,
  placeOfWithdrawal,
  redeemInstructions,
  SALT_BYTES,
  type Schedule,
  SchedulePhase,
  verifyLiabilityInclusion,
} from '@payouts/client';
import type { Address, MaybeAccount } from '@solana/kit';
import { type Command, Option } from 'commander';
import { ledgerSeconds } from '../../ledgerAccounts.ts';
import { reclaimInstruction } from '../../lossRecovery.ts';
import { withName } from '../amounts.ts';
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
import { wrapped } from '../output.ts';
import { type LedgerOptions, withLedger } from '../rpc.ts';
import { timeText } from '../timeText.ts';
import { readToken } from '../token.ts';
import { readConfig } from './governance/parts.ts';
import { readSchedule } from './schedule/parts.ts';

type Options = KeyOptions & AskOptions & LedgerOptions;
type RedeemOptions = Options & { readonly to?: Address; readonly salt: Uint8Array; readonly delivery: PayoutDelivery };
type ReclaimOptions = Options & { readonly proof?: string };
type Base = Pick<Ledgers, 'base'>;

/** payout redeem, payout reclaim: by the base ledger alone, without a coordinator. */
export function addLossRecovery(program: Command): void {
  const changing = (command: Command) => withLedger(withAsking(withJson(withKey(command))));
  changing(program.command('redeem').argument('<proof>', 'file of what the coordinator says you are owed'))
    .description('If the execution layer is lost: take your private balance out of the pool')
    .requiredOption('--salt <hex>', 'your secret: it stands in your payslips, and payout balance --json shows it', saltOption)
    .addOption(new Option('--delivery <where>', 'what the payslips say').choices(['balance', 'wallet']).default('balance'))
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

/** The one proof in a file for which this holds, under the root that the ledger has. Throws `Failure` proof-unfit or proof-old. */
async function proofFor(
  { base }: Base,
  file: string,
  { is, whose }: { readonly is: (proof: LiabilityProof) => boolean; readonly whose: string },
): Promise<{ readonly proof: LiabilityProof; readonly pool: Pool }> {
  const proof = (await proofsIn(file)).find(is);
  if (proof === undefined) throw new Failure('proof-unfit', `${file} holds no proof of ${whose}.`);
  const { data: pool } = await fetchPool(base, await findPoolAddress(proof.mint), { commitment: 'finalized' });
  const recorded = { liabilitiesRoot: Uint8Array.from(pool.liabilitiesRoot), liabilityLeaves: pool.liabilityLeaves };
  if (verifyLiabilityInclusion({ pool: recorded, leaf: proof.leaf, proof: proof.proof })) return { proof, pool };
  throw new Failure(
    'proof-old',
    'The proof is of another recording than the ledger holds. Ask the operator of the coordinator for a new one.',
  );
}

/** Whether a bit of a page is set; none is while the page is not there. */
const isMarked = (page: MaybeAccount<{ readonly bitmap: ArrayLike<number> }>, bit: number): boolean =>
  page.exists && isBitSet(page.data.bitmap, bit);

/** Base units that a leaf is owed, without a withdrawal that the ledger has paid. Throws `Failure` already-redeemed or nothing-due. */
async function dueOf({ base }: Base, mint: Address, leaf: LiabilityBalanceLeaf): Promise<bigint> {
  const redeemed = await fetchMaybeRedeemedPage(base, await findRedeemedPageAddress(mint, leaf.index));
  if (isMarked(redeemed, placeOfLiabilityLeaf(leaf.index).bit)) {
    throw new Failure('already-redeemed', 'This balance was taken out of the pool already.');
  }
  const { number, amount } = leaf;
  const page = await fetchMaybePage(base, await findPageAddress(mint, number));
  const isPaid = number !== 0n && isMarked(page, placeOfWithdrawal(number).bit);
  const due = isPaid ? 0n : amount;
  if (due === 0n) throw new Failure('nothing-due', 'This balance was empty when it was recorded last.');
  return due;
}

async function redeem(file: string, options: RedeemOptions): Promise<void> {
  const session = await openLedger(options);
  const { signer: recipient, ledgers } = session;
  await mustBeLost(ledgers);
  const owned = { recipient: recipient.address, salt: options.salt, delivery: options.delivery };
  const { owner } = ownerRecord(owned);
  const isOwn = ({ leaf }: LiabilityProof) => leaf.kind === 'balance' && Buffer.compare(leaf.owner, owner) === 0;
  const { proof } = await proofFor(ledgers, file, { is: isOwn, whose: `a balance of ${recipient.address}` });
  const { mint, proof: hashes } = proof;
  const leaf = proof.leaf as LiabilityBalanceLeaf;
  const due = await dueOf(ledgers, mint, leaf);
  const token = await readToken(ledgers, mint);
  const wallet = options.to ?? recipient.address;
  await carryOut(session, options, {
    what: [
      `Takes ${withName(due, token)} out of the pool, once and for all`,
      `  to ${wallet}`,
      ...wrapped('Everybody can see on the ledger that your key takes them, and where they go.'),
    ],
    plan: { mint, amount: due, wallet },
    instruction: await redeemInstructions({
      recipient,
      mint,
      tokenProgram: token.program,
      leaf,
      salt: options.salt,
      delivery: options.delivery,
      proof: hashes,
      wallet,
    }),
    done: `${withName(due, token)} paid to ${wallet}`,
    result: { mint, amount: due, wallet },
  });
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
  return (await proofFor(ledgers, file, { is, whose: `window ${window} of ${address}` })).proof;
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
