import {
  getAcceptReplacementInstructionAsync,
  getProposeReplacementInstructionAsync,
  getRefuseReplacementInstructionAsync,
} from '@payouts/client';
import type { Address } from '@solana/kit';
import type { Command } from 'commander';
import { Failure } from '../../failure.ts';
import { carryOut } from '../../ledgerChange.ts';
import { addressOption } from '../../options.ts';
import { wrapped } from '../../output.ts';
import { changing, eitherKey, type GovernanceOptions, withConfig } from './parts.ts';

/** payout governance propose-replacement, accept-replacement, refuse-replacement */
export function addReplacement(governance: Command): void {
  changing(governance.command('propose-replacement'))
    .description('Propose a key in the place of the other one, as governance or guardian; it may take over in 30 days')
    .argument('<address>', 'the new key', addressOption)
    .action(propose);
  changing(governance.command('accept-replacement'))
    .description('Take over as guardian or governance, as the key that was proposed')
    .action(accept);
  changing(governance.command('refuse-replacement'))
    .description('Refuse a proposed key, as governance or guardian')
    .argument('<address>', 'the proposed key', addressOption)
    .action(refuse);
}

async function propose(address: Address, options: GovernanceOptions): Promise<void> {
  const session = await eitherKey(options);
  const { signer, config } = session;
  const isGovernance = signer.address === config.governance;
  const [role, replaced] = isGovernance ? ['guardian', config.guardian] : ['governance', config.governance];
  await carryOut(session, options, {
    what: wrapped(
      `Proposes ${address} for ${role}, in the place of ${replaced}. It may take over in 30 days unless either key refuses.`,
    ),
    plan: { key: address, replaced },
    instruction: await getProposeReplacementInstructionAsync({ signer, key: address }),
    done: `Proposed: ${address}`,
  });
}

async function accept(options: GovernanceOptions): Promise<void> {
  const session = await withConfig(options);
  const { signer, config } = session;
  const key = signer.address;
  if (key !== config.nextGuardian && key !== config.nextGovernance) {
    throw new Failure(
      'not-named',
      `Your key, ${key}, is not proposed: payout governance propose-replacement does that.`,
    );
  }
  const [role, replaced] =
    key === config.nextGuardian ? ['guardian', config.guardian] : ['governance', config.governance];
  await carryOut(session, options, {
    what: wrapped(`Takes over as ${role} from ${replaced}.`),
    plan: { key, replaced },
    instruction: await getAcceptReplacementInstructionAsync({ next: signer }),
    done: `The key of ${role} is now ${key}.`,
  });
}

async function refuse(address: Address, options: GovernanceOptions): Promise<void> {
  const session = await eitherKey(options);
  await carryOut(session, options, {
    what: wrapped(`Refuses ${address} as guardian or governance.`),
    plan: { key: address },
    instruction: await getRefuseReplacementInstructionAsync({ signer: session.signer, key: address }),
    done: 'Refused.',
  });
}
