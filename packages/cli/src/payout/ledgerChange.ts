import { type BaseConnection, sendToBase } from '@payouts/client';
import type { EmployerSession, PlannedChange } from '@payouts/employer';
import type { Instruction } from '@solana/kit';
import { isWanted } from './confirm.ts';
import { loadKeypair } from './keypair.ts';
import type { AskOptions, KeyOptions } from './options.ts';
import { printResult, sentenceLines } from './output.ts';
import { baseLedger, type LedgerOptions } from './rpc.ts';
import type { Signer } from './signer/signer.ts';
import { timeText } from './timeText.ts';
import { proposing, type TreasuryOptions, treasuryOf, treasurySigner } from './treasury.ts';

/** What a command begins with that changes something on the base ledger. */
export type LedgerSession = { readonly signer: Signer; readonly ledgers: BaseConnection };

/** The key and the ledger that the options name. Throws `Failure`. */
export const openLedger = async (options: KeyOptions & LedgerOptions): Promise<LedgerSession> => ({
  signer: await loadKeypair(options.keypair),
  ledgers: await baseLedger(options),
});

/** The employer whose key it is. */
export type CommandSession = EmployerSession & { readonly employer: Signer };

/** The same, for what an employer or an approver does; of a treasury's member: for what the treasury does. Throws `Failure`. */
export async function openEmployer(options: KeyOptions & LedgerOptions & TreasuryOptions): Promise<CommandSession> {
  const { signer, ledgers } = await openLedger(options);
  if (options.treasury === undefined) return { employer: signer, ledgers, timeText };
  const treasury = await treasuryOf(ledgers, options, options.treasury);
  return { employer: treasurySigner(treasury), ledgers: proposing(ledgers, treasury, signer), timeText };
}

type LedgerChange = {
  /** What it does: for people, and for programs. */
  readonly what: readonly string[];
  readonly plan: object;
  readonly instruction: Instruction | readonly Instruction[];
  /** What is said when it is done; `result` goes to programs, before the signature. */
  readonly done: string;
  readonly result?: object;
};

/** Shows what one or more instructions will do, asks for it, sends them in one transaction and says that it is done. Throws what `isWanted` and `sendToBase` throw. */
export async function carryOut(
  { signer, ledgers }: LedgerSession,
  options: AskOptions,
  { what, plan, instruction, done, result }: LedgerChange,
): Promise<void> {
  if (!(await isWanted(what, options, plan))) return;
  const signature = await sendToBase(ledgers, [instruction].flat(), signer);
  printResult(options, { ...result, signature }, done);
}

/** The same for a change of an employer's or an approver's. */
export async function carryOutChange(
  session: LedgerSession,
  options: AskOptions,
  { effects, plan, steps, done, result }: PlannedChange,
): Promise<void> {
  const what = sentenceLines(effects);
  await carryOut(session, options, { what, plan, instruction: steps.flat(2), done, result });
}
