import {
  getAcceptGovernanceInstructionAsync,
  getDeclareLossAloneInstructionAsync,
  getDeclareLossInstructionAsync,
  getRevokeLossInstructionAsync,
  getUpdateGuardianInstructionAsync,
  millisOf,
} from '@payouts/client';
import { readSchedule } from '@payouts/employer';
import type { Address } from '@solana/kit';
import type { Command } from 'commander';
import { durationOf, durationText } from '../../duration.ts';
import { Failure } from '../../failure.ts';
import { carryOut } from '../../ledgerChange.ts';
import { addressOption } from '../../options.ts';
import { wrapped } from '../../output.ts';
import { changedLines } from './configText.ts';
import {
  bothSigning,
  changing,
  eitherKey,
  type GovernanceOptions,
  governed,
  guardianOf,
  sayUnchanged,
  type TwoKeys,
  withConfig,
} from './parts.ts';

/** payout governance accept, guardian, declare-loss, declare-loss-alone, revoke-loss */
export function addKeys(governance: Command): void {
  changing(governance.command('accept')).description('Take governance over, as the key that was named').action(accept);
  bothSigning(governance.command('guardian'))
    .description('Change the guardian, and the grace time of a loss')
    .argument('<address>', 'the new one, or the current one', addressOption)
    .option('--loss-grace <duration>', 'from declaring the layer lost until it is; 1d to 90d')
    .action(changeGuardian);
  bothSigning(governance.command('declare-loss'))
    .description('Declare the execution layer lost: no window opens, and after the grace time it is lost for good')
    .action(loss);
  changing(governance.command('declare-loss-alone'))
    .description('The same with one of the two keys, where a window has been away for 30 days beyond its timeout')
    .argument('<schedule>', 'address of the schedule whose window it is', addressOption)
    .action(lossAlone);
  changing(governance.command('revoke-loss'))
    .description('Take that back, as governance or guardian, before the grace time is over')
    .action(revoke);
}

async function accept(options: GovernanceOptions): Promise<void> {
  const session = await withConfig(options);
  const { signer, config } = session;
  if (config.pendingGovernance !== signer.address) {
    throw new Failure(
      'not-named',
      `Governance has not named your key, ${signer.address}: payout governance hand-over does.`,
    );
  }
  await carryOut(session, options, {
    what: wrapped(`Takes governance over from ${config.governance}.`),
    plan: { governance: signer.address },
    instruction: await getAcceptGovernanceInstructionAsync({ pendingGovernance: signer }),
    done: `Governance is now ${signer.address}.`,
  });
}

async function changeGuardian(address: Address, options: TwoKeys & { readonly lossGrace?: string }): Promise<void> {
  const session = await governed(options);
  const { signer, config } = session;
  const guardian = await guardianOf(options.guardianKeypair, config);
  if (address === config.governance) {
    throw new Failure('guardian-same', 'Guardian and governance must be two keys, best of two people.');
  }
  const lossGrace = options.lossGrace === undefined ? config.lossGrace : durationOf(options.lossGrace, '--loss-grace');
  const changed = changedLines(config, { ...config, guardian: address, lossGrace });
  if (changed.length === 0) return sayUnchanged(options);
  const input = { governance: signer, guardian, newGuardian: address, lossGrace };
  await carryOut(session, options, {
    what: ['Changes the config:', ...changed],
    plan: { guardian: address, lossGrace },
    instruction: await getUpdateGuardianInstructionAsync(input),
    done: 'Changed.',
  });
}

const declared = (lossGrace: number) =>
  `Declares the execution layer lost. No window opens from now on. After ${durationText(lossGrace)} nothing is settled or paid out any more, for good, and recipients take what the recorded tree says out of the pool.`;

async function loss(options: TwoKeys): Promise<void> {
  const session = await governed(options);
  const { signer, config } = session;
  const guardian = await guardianOf(options.guardianKeypair, config);
  const what = wrapped(`${declared(config.lossGrace)} Until then either key may revoke it, each once in 180 days.`);
  await carryOut(session, options, {
    what,
    plan: { lossGrace: config.lossGrace },
    instruction: await getDeclareLossInstructionAsync({ governance: signer, guardian }),
    done: 'Declared lost.',
  });
}

async function lossAlone(schedule: Address, options: GovernanceOptions): Promise<void> {
  const session = await eitherKey(options);
  const { signer, config, ledgers } = session;
  const { openedAt } = await readSchedule(ledgers, schedule);
  if (openedAt === 0n) {
    throw new Failure('window-not-open', `No window of ${schedule} is open: it shows nothing about the layer.`);
  }
  await carryOut(session, options, {
    what: wrapped(`${declared(config.lossGrace)} The other key may revoke it once in 180 days.`),
    plan: { schedule, lossGrace: config.lossGrace },
    instruction: await getDeclareLossAloneInstructionAsync({ signer, schedule }),
    done: 'Declared lost.',
  });
}

async function revoke(options: GovernanceOptions): Promise<void> {
  const session = await eitherKey(options);
  const { signer, config } = session;
  await carryOut(session, options, {
    what: wrapped('Takes back that the execution layer is lost. This key can do so again in 180 days.'),
    plan: { declaredAt: millisOf(config.lossDeclaredAt) },
    instruction: await getRevokeLossInstructionAsync({ signer }),
    done: 'Taken back: the execution layer is in use.',
  });
}
