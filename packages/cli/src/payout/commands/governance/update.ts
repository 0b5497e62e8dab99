import { type Config, getUpdateConfigInstructionAsync } from '@payouts/client';
import type { Address } from '@solana/kit';
import type { Command } from 'commander';
import { Failure } from '../../failure.ts';
import { carryOut } from '../../ledgerChange.ts';
import { addressOption } from '../../options.ts';
import { changedLines, NO_KEY } from './configText.ts';
import {
  changing,
  type GovernanceOptions,
  type Governed,
  governed,
  sayUnchanged,
  type TermOptions,
  termsOf,
  withTerms,
} from './parts.ts';

/** payout governance update, hand-over */
export function addUpdate(governance: Command): void {
  withTerms(changing(governance.command('update')), { isNew: false })
    .description('Change limits; what is not named stays')
    .action(update);
  changing(governance.command('hand-over'))
    .description('Name who may take governance over; nobody takes the offer back')
    .argument('<address>', 'the new key, or nobody', (text) => (text === 'nobody' ? NO_KEY : addressOption(text)))
    .action(handOver);
}

async function update(options: GovernanceOptions & TermOptions): Promise<void> {
  const session = await governed(options);
  const { config } = session;
  const { validator = config.validator } = options;
  await change(session, { ...termsOf(options, config), validator }, options);
}

async function handOver(address: Address, options: GovernanceOptions): Promise<void> {
  const found = await governed(options);
  if (address === found.config.guardian) {
    throw new Failure('guardian-same', 'The guardian can’t take governance over: they must be two keys.');
  }
  await change(found, { pendingGovernance: address }, options);
}

async function change(session: Governed, changes: Partial<Config>, options: GovernanceOptions): Promise<void> {
  const { signer: governance, config } = session;
  const future = { ...config, ...changes };
  const changed = changedLines(config, future);
  if (changed.length === 0) return sayUnchanged(options);
  const { pendingGovernance, validator, flags, ...limits } = future;
  const input = { governance, pendingGovernance, validator, flags, limits };
  await carryOut(session, options, {
    what: ['Changes the config:', ...changed],
    plan: changes,
    instruction: await getUpdateConfigInstructionAsync(input),
    done: 'Changed.',
  });
}
