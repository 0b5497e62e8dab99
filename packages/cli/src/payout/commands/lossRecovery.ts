import { readFile } from 'node:fs/promises';
import {
  type DueBalance,
  dueBalances,
  type Ledgers,
  type PayoutDelivery,
  type ProofFile,
  type ProvenBalance,
  type RedeemFault,
  redeemTransactions,
  redemptionCost,
  SALT_BYTES,
  sendStepsToBase,
} from '@payouts/client';
import { mustBeLost, PROOF_OLD, proofFileIn, readToken, reclaimWindow, sol } from '@payouts/employer';
import type { Address } from '@solana/kit';
import { type Command, Option } from 'commander';
import { withName } from '../amounts.ts';
import { isWanted } from '../confirm.ts';
import { Failure, WrongUsage } from '../failure.ts';
import { carryOutChange, openLedger } from '../ledgerChange.ts';
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
type RedeemOptions = Options & { readonly to?: Address; readonly salt?: Uint8Array; readonly delivery: PayoutDelivery };
type ReclaimOptions = Options & { readonly proof?: string };
type Base = Pick<Ledgers, 'base'>;

/** payout redeem, payout reclaim: by the base ledger alone, without a coordinator. */
export function addLossRecovery(program: Command): void {
  const changing = (command: Command) => withSending(withAsking(withJson(withKey(command))));
  changing(program.command('redeem').argument('<proof>', "the proof file that you saved, or an operator's"))
    .description('If the execution layer is lost: take your private balances out of the pool')
    .option('--salt <hex>', "with an operator's file: your secret, as your payslips have it", saltOption)
    .addOption(
      new Option('--delivery <where>', "with an operator's file: what the payslips say")
        .choices(['balance', 'wallet'])
        .default('balance'),
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

/** What a proof file holds. Throws `Failure` proof-unreadable. */
const proofFileAt = async (file: string): Promise<ProofFile> =>
  proofFileIn(await readFile(file, 'utf8').catch(() => ''), file);

const SALT_MISSING =
  "An operator's proof file has no salts. Give yours: --salt HEX, from your payslips, and --delivery wallet if they say so.";

/** What keeps a balance from being redeemed, as the command says it. */
const NOT_REDEEMABLE: Readonly<Record<RedeemFault, string>> = {
  'proof-unfit': 'The file holds no proof of a balance of this key.',
  'proof-old': PROOF_OLD,
  'already-redeemed': 'This balance was taken out of the pool already.',
  'nothing-due': 'This balance was empty when it was recorded last.',
};

/** The balances of a file that this recipient has. Throws `Failure` proof-unfit. */
function ownIn(
  { balances, proofs }: ProofFile,
  recipient: Address,
  { salt, delivery }: RedeemOptions,
): ProvenBalance[] {
  const own = balances.filter((balance) => balance.recipient === recipient);
  if (proofs.length > 0 && salt !== undefined) own.push({ recipient, salt, delivery, proofs });
  if (own.length > 0) return own;
  const why = balances.length > 0 || proofs.length === 0 ? NOT_REDEEMABLE['proof-unfit'] : SALT_MISSING;
  throw new Failure('proof-unfit', why);
}

/** What is due by these balances. Throws `Failure`: why nothing is. */
async function duesFor(ledgers: Base, balances: readonly ProvenBalance[]): Promise<readonly DueBalance[]> {
  const { parts, faults } = await dueBalances(ledgers, balances);
  const [fault = 'proof-unfit'] = faults;
  if (parts.length === 0) throw new Failure(fault, NOT_REDEEMABLE[fault]);
  return parts;
}

async function redeem(file: string, options: RedeemOptions): Promise<void> {
  const { signer: recipient, ledgers } = await openLedger(options);
  await mustBeLost({ ledgers, timeText });
  const parts = await duesFor(ledgers, ownIn(await proofFileAt(file), recipient.address, options));
  const dues = parts.flatMap((part) => part.dues);
  const wallet = options.to ?? recipient.address;
  const what: string[] = [];
  const programOf = new Map<Address, Address>();
  const totals: { readonly mint: Address; readonly amount: bigint; readonly name: string }[] = [];
  for (const mint of new Set(dues.map((due) => due.mint))) {
    const token = await readToken(ledgers, mint);
    const ofToken = dues.filter((due) => due.mint === mint);
    const amount = ofToken.reduce((sum, due) => sum + due.amount, 0n);
    totals.push({ mint, amount, name: withName(amount, token) });
    what.push(`Takes ${withName(amount, token)} out of the pool, once and for all`);
    programOf.set(mint, token.program);
  }
  const steps = await redeemTransactions(parts, { recipient, wallet, programOf });
  const cost = await redemptionCost(ledgers, parts, steps, { payer: recipient.address, wallet, programOf });
  what.push(
    `  to ${wallet}`,
    `  for ${sol(cost)} SOL: the ledger's fee, and rent for what has to be noted there`,
    ...wrapped('Everybody can see on the ledger that your key takes them, and where they go.'),
  );
  const plan = { wallet, taken: totals.map(({ mint, amount }) => ({ mint, amount })), cost };
  if (!(await isWanted(what, options, plan))) return;
  const signatures = await sendStepsToBase(ledgers, [steps], recipient);
  const done = `${totals.map(({ name }) => name).join(' and ')} paid to ${wallet}`;
  printResult(options, { ...plan, signatures }, done);
}

async function reclaim(address: Address, options: ReclaimOptions): Promise<void> {
  const session = await openLedger(options);
  const { ledgers } = session;
  const file = options.proof === undefined ? undefined : await proofFileAt(options.proof);
  await carryOutChange(session, options, await reclaimWindow({ ledgers, timeText }, address, file));
}
