import { type Config, getUpdateConfigInstructionAsync, type Ledgers, sendToBase } from '@payouts/client';
import type { Address } from '@solana/kit';
import type { Command } from 'commander';
import { isWanted } from '../../confirm.ts';
import { Failure } from '../../failure.ts';
import { addressOption } from '../../options.ts';
import { print, printJson } from '../../output.ts';
import type { Signer } from '../../signer/signer.ts';
import { changedLines, NO_KEY } from './configText.ts';
import { changing, type GovernanceOptions, governed, type TermOptions, termsOf, withTerms } from './parts.ts';

/** payout governance update, hand-over */
export function addUpdate(governance: Command): void {
  withTerms(changing(governance.command('update')), { isNew: false })
    .description('Change roles and limits; what is not named stays')
    .action(update);
  changing(governance.command('hand-over'))
    .description('Name who may take governance over; nobody takes the offer back')
    .argument('<address>', 'the new key, or nobody', (text) => (text === 'nobody' ? NO_KEY : addressOption(text)))
    .action(handOver);
}

async function update(options: GovernanceOptions & TermOptions): Promise<void> {
  const { signer, ledgers, config } = await governed(options);
  const { executionAuthority = config.executionAuthority, validator = config.validator } = options;
  await change({ signer, ledgers, config }, { ...termsOf(options, config), executionAuthority, validator }, options);
}

async function handOver(address: Address, options: GovernanceOptions): Promise<void> {
  const found = await governed(options);
  if (address === found.config.guardian) {
    throw new Failure('guardian-same', 'The guardian can’t take governance over: they must be two keys.');
  }
  await change(found, { pendingGovernance: address }, options);
}

type Governed = {
  readonly signer: Signer;
  readonly ledgers: Pick<Ledgers, 'base' | 'time'>;
  readonly config: Config;
};

async function change(
  { signer, ledgers, config }: Governed,
  changes: Partial<Config>,
  options: GovernanceOptions,
): Promise<void> {
  const future = { ...config, ...changes };
  const changed = changedLines(config, future);
  if (changed.length === 0) {
    if (options.json) return printJson({ signature: null });
    return print('It is so already: nothing to change.');
  }
  if (!(await isWanted(['Changes the config:', ...changed], options, changes))) return;
  const { pendingGovernance, executionAuthority, validator, flags, ...limits } = future;
  const instruction = await getUpdateConfigInstructionAsync({
    governance: signer,
    pendingGovernance,
    executionAuthority,
    validator,
    flags,
    limits,
  });
  const signature = await sendToBase(ledgers, [instruction], signer);
  if (options.json) return printJson({ signature });
  print('Changed.');
}
