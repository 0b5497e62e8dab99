import {
  getAcceptAuthorityInstructionAsync,
  getApproveAuthorityInstructionAsync,
  getLiftSuspensionInstructionAsync,
  getProposeAuthorityInstructionAsync,
  getRefuseAuthorityInstructionAsync,
  getSuspendInstructionAsync,
  millisOf,
} from '@payouts/client';
import type { Address } from '@solana/kit';
import type { Command } from 'commander';
import { Failure } from '../../failure.ts';
import { carryOut } from '../../ledgerChange.ts';
import { addressOption } from '../../options.ts';
import { wrapped } from '../../output.ts';
import {
  bothSigning,
  changing,
  eitherKey,
  type GovernanceOptions,
  governed,
  guardianOf,
  type TwoKeys,
  withConfig,
} from './parts.ts';

/** payout governance propose-authority, accept-authority, approve-authority, refuse-authority, suspend, lift-suspension */
export function addAuthority(governance: Command): void {
  changing(governance.command('propose-authority'))
    .description('Propose another execution authority, as governance; it may take over in 7 days')
    .argument('<address>', 'the new key', addressOption)
    .action(propose);
  changing(governance.command('accept-authority'))
    .description('Take the execution authority over, as the key that was proposed')
    .action(accept);
  changing(governance.command('approve-authority'))
    .description('Agree to the proposed key, as guardian: it may take over at once')
    .argument('<address>', 'the proposed key', addressOption)
    .action(approve);
  changing(governance.command('refuse-authority'))
    .description('Refuse the proposed key, as governance or guardian')
    .action(refuse);
  changing(governance.command('suspend'))
    .description('Suspend the execution authority for 7 days, as governance or guardian')
    .action(suspend);
  bothSigning(governance.command('lift-suspension'))
    .description('End a suspension before its time, with both keys')
    .action(lift);
}

async function propose(address: Address, options: GovernanceOptions): Promise<void> {
  const session = await governed(options);
  await carryOut(session, options, {
    what: wrapped(
      `Proposes ${address} for the execution authority. It may take over in 7 days, or once the guardian agrees.`,
    ),
    plan: { authority: address },
    instruction: await getProposeAuthorityInstructionAsync({ governance: session.signer, authority: address }),
    done: `Proposed: ${address}`,
  });
}

async function accept(options: GovernanceOptions): Promise<void> {
  const session = await withConfig(options);
  const { signer, config } = session;
  if (config.pendingAuthority !== signer.address) {
    throw new Failure(
      'not-named',
      `Your key, ${signer.address}, is not proposed: payout governance propose-authority does that.`,
    );
  }
  await carryOut(session, options, {
    what: wrapped(`Takes the execution authority over from ${config.executionAuthority}.`),
    plan: { authority: signer.address },
    instruction: await getAcceptAuthorityInstructionAsync({ pendingAuthority: signer }),
    done: `The execution authority is now ${signer.address}.`,
  });
}

async function approve(address: Address, options: GovernanceOptions): Promise<void> {
  const session = await withConfig(options);
  const { signer: guardian, config } = session;
  if (guardian.address !== config.guardian) {
    throw new Failure(
      'not-guardian',
      `Only the guardian may, whose key is ${config.guardian}; yours is ${guardian.address}.`,
    );
  }
  await carryOut(session, options, {
    what: wrapped(`Agrees that ${address} takes the execution authority over at once.`),
    plan: { authority: address },
    instruction: await getApproveAuthorityInstructionAsync({ guardian, authority: address }),
    done: 'Agreed.',
  });
}

async function refuse(options: GovernanceOptions): Promise<void> {
  const session = await eitherKey(options);
  const { signer, config } = session;
  await carryOut(session, options, {
    what: wrapped(`Refuses ${config.pendingAuthority} as the execution authority.`),
    plan: { authority: config.pendingAuthority },
    instruction: await getRefuseAuthorityInstructionAsync({ signer }),
    done: 'Refused.',
  });
}

async function suspend(options: GovernanceOptions): Promise<void> {
  const session = await eitherKey(options);
  const { signer, config } = session;
  await carryOut(session, options, {
    what: wrapped(
      `Suspends the execution authority ${config.executionAuthority} for 7 days: it opens, pays, records and settles nothing. This key can't suspend again until 30 days after.`,
    ),
    plan: { authority: config.executionAuthority },
    instruction: await getSuspendInstructionAsync({ signer }),
    done: 'Suspended for 7 days.',
  });
}

async function lift(options: TwoKeys): Promise<void> {
  const session = await governed(options);
  const guardian = await guardianOf(options.guardianKeypair, session.config);
  await carryOut(session, options, {
    what: ['Ends the suspension of the execution authority.'],
    plan: { suspendedUntil: millisOf(session.config.suspendedUntil) },
    instruction: await getLiftSuspensionInstructionAsync({ governance: session.signer, guardian }),
    done: 'Ended.',
  });
}
