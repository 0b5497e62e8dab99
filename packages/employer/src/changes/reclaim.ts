import {
  type BaseConnection,
  fetchMaybeVault,
  fetchPool,
  findPoolAddress,
  getReclaimWindowInstructionAsync,
  isRecorded,
  type LiabilityProof,
  type ProofFile,
  readLayerLoss,
  type Schedule,
  SchedulePhase,
} from '@payouts/client';
import type { Address, Instruction } from '@solana/kit';
import { withName } from '../amounts.ts';
import { Failure } from '../failure.ts';
import { PROOF_OLD } from '../proofFiles.ts';
import { type EmployerSession, readSchedule } from '../session.ts';
import { readToken } from '../token.ts';
import { atOnce, type PlannedChange } from './change.ts';

type Base = Pick<BaseConnection, 'base'>;

/** Throws `Failure` layer-not-lost until the execution layer is lost for good. */
export async function mustBeLost({
  ledgers,
  timeText,
}: Pick<EmployerSession, 'timeText'> & { readonly ledgers: Base }) {
  const loss = await readLayerLoss(ledgers);
  if (loss.state === 'none') {
    throw new Failure(
      'layer-not-lost',
      'The execution layer is not declared lost: withdrawals are paid, and windows end, as always.',
    );
  }
  if (loss.state === 'declared') {
    throw new Failure(
      'layer-not-lost',
      `The execution layer is declared lost, and is so from ${timeText(loss.from)} on.`,
    );
  }
}

/** An open window of a layer that is lost; `proof` unless it opened after the last recording. */
export type Reclaim = {
  readonly mint: Address;
  readonly tokenProgram?: Address;
  readonly vault: Address;
  readonly schedule: Address;
  readonly proof?: LiabilityProof | undefined;
};

/** The instruction that brings what an open window has not paid back to its vault, once the layer is lost. Anybody may send it. */
export function reclaimInstruction({ proof, ...accounts }: Reclaim): Promise<Instruction> {
  if (proof !== undefined && proof.leaf.kind !== 'window') throw new Error('This proof is that of a balance.');
  const leaf = proof?.leaf.kind === 'window' ? proof.leaf : { index: 0, paid: 0n, blind: new Uint8Array(16) };
  const { index, paid, blind } = leaf;
  return getReclaimWindowInstructionAsync({ ...accounts, index, paid, blind, proof: [...(proof?.proof ?? [])] });
}

/** Whether what an open window has paid was recorded, so that bringing it back takes a proof. */
export async function isWindowRecorded(
  { base }: Base,
  { mint, windowOpening }: Pick<Schedule, 'mint' | 'windowOpening'>,
): Promise<boolean> {
  const { data: pool } = await fetchPool(base, await findPoolAddress(mint), { commitment: 'finalized' });
  return windowOpening <= pool.recordedOpenings;
}

/** The proof that a window needs; none if it opened after the last recording. Throws `Failure` proof-missing, proof-unfit or proof-old. */
async function windowProof(
  ledgers: Base,
  address: Address,
  schedule: Schedule,
  file: ProofFile | undefined,
): Promise<LiabilityProof | undefined> {
  if (!(await isWindowRecorded(ledgers, schedule))) return undefined;
  const { window } = schedule;
  if (file === undefined) {
    throw new Failure(
      'proof-missing',
      `What window ${window} has paid is recorded, and takes a proof: --proof FILE. Its operator makes it: payout operator liability-proof --balance ${address}`,
    );
  }
  const found = file.proofs.find(
    ({ leaf }) => leaf.kind === 'window' && leaf.schedule === address && leaf.window === window,
  );
  if (found === undefined) {
    throw new Failure('proof-unfit', `The file holds no proof of window ${window} of ${address}.`);
  }
  if (!(await isRecorded(ledgers, found))) throw new Failure('proof-old', PROOF_OLD);
  return found;
}

/**
 * Brings what the open window of a schedule has not paid back to its vault, once the execution layer is lost; anybody may. Throws `Failure`
 * layer-not-lost, schedule-unknown, window-not-open, proof-missing, proof-unfit or proof-old.
 */
export async function reclaimWindow(
  session: Pick<EmployerSession, 'ledgers' | 'timeText'>,
  address: Address,
  file: ProofFile | undefined,
): Promise<PlannedChange> {
  const { ledgers } = session;
  await mustBeLost(session);
  const schedule = await readSchedule(ledgers, address);
  const { mint, vault, window, windowAmount } = schedule;
  if (schedule.phase !== SchedulePhase.Open) {
    throw new Failure('window-not-open', `No window of ${address} is open: there is nothing to bring back.`);
  }
  const proof = await windowProof(ledgers, address, schedule, file);
  const paid = proof?.leaf.kind === 'window' ? proof.leaf.paid : 0n;
  const returned = windowAmount - paid;
  const token = await readToken(ledgers, mint);
  const owner = await fetchMaybeVault(ledgers.base, vault, { commitment: 'finalized' });
  const plan = { schedule: address, window, paid, returned };
  return {
    effects: [
      `Ends window ${window}, of which ${withName(paid, token)} of ${withName(windowAmount, token)} are paid.`,
      `${withName(returned, token)} go back to the vault ${vault}${owner.exists ? ` of ${owner.data.employer}` : ''}.`,
      'Its schedule is cancelled with it.',
    ],
    plan,
    steps: atOnce(await reclaimInstruction({ mint, tokenProgram: token.program, vault, schedule: address, proof })),
    done: `${withName(returned, token)} are back in the vault.`,
    result: plan,
  };
}
