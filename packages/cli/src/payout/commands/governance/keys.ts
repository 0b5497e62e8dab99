import {
  getAcceptGovernanceInstructionAsync,
  getDeclareLossInstructionAsync,
  getRevokeLossInstructionAsync,
  getUpdateGuardianInstructionAsync,
  sendToBase,
} from '@payouts/client';
import type { Address } from '@solana/kit';
import type { Command } from 'commander';
import { isWanted } from '../../confirm.ts';
import { durationOf, durationText } from '../../duration.ts';
import { Failure } from '../../failure.ts';
import { loadKeypair } from '../../keypair.ts';
import { addressOption } from '../../options.ts';
import { print, printJson, wrapped } from '../../output.ts';
import { baseLedger } from '../../rpc.ts';
import { changedLines } from './configText.ts';
import { changing, type GovernanceOptions, governed, guardianOf, readConfig } from './parts.ts';

type TwoKeys = GovernanceOptions & { readonly guardianKeypair: string };

const bothSigning = (command: Command): Command =>
  changing(command).requiredOption('--guardian-keypair <file>', "the present guardian's keypair, which signs as well");

/** payout governance accept, guardian, declare-loss, revoke-loss */
export function addKeys(governance: Command): void {
  changing(governance.command('accept')).description('Take governance over, as the key that was named').action(accept);
  bothSigning(governance.command('guardian'))
    .description('Change the guardian, and the grace time of a loss')
    .argument('<address>', 'the new one, or the present one', addressOption)
    .option('--loss-grace <duration>', 'from declaring the layer lost until it is; 1d to 90d')
    .action(changeGuardian);
  bothSigning(governance.command('declare-loss'))
    .description('Declare the execution layer lost: no window opens, and after the grace time it is lost for good')
    .action(loss);
  changing(governance.command('revoke-loss'))
    .description('Take that back, as governance or guardian, before the grace time is over')
    .action(revoke);
}

async function accept(options: GovernanceOptions): Promise<void> {
  const signer = await loadKeypair(options.keypair);
  const ledgers = await baseLedger(options);
  const config = await readConfig(ledgers);
  if (config.pendingGovernance !== signer.address) {
    throw new Failure(
      'not-named',
      `Governance has not named your key, ${signer.address}: payout governance hand-over does.`,
    );
  }
  if (
    !(await isWanted(wrapped(`Takes governance over from ${config.governance}.`), options, {
      governance: signer.address,
    }))
  )
    return;
  const instruction = await getAcceptGovernanceInstructionAsync({ pendingGovernance: signer });
  const signature = await sendToBase(ledgers, [instruction], signer);
  if (options.json) return printJson({ signature });
  print(`Governance is now ${signer.address}.`);
}

async function changeGuardian(address: Address, options: TwoKeys & { readonly lossGrace?: string }): Promise<void> {
  const { signer, ledgers, config } = await governed(options);
  const guardian = await guardianOf(options.guardianKeypair, config);
  if (address === config.governance) {
    throw new Failure('guardian-same', 'Guardian and governance must be two keys, best of two people.');
  }
  const lossGrace = options.lossGrace === undefined ? config.lossGrace : durationOf(options.lossGrace, '--loss-grace');
  const changed = changedLines(config, { ...config, guardian: address, lossGrace });
  if (changed.length === 0) {
    if (options.json) return printJson({ signature: null });
    return print('It is so already: nothing to change.');
  }
  if (!(await isWanted(['Changes the config:', ...changed], options, { guardian: address, lossGrace }))) return;
  const instruction = await getUpdateGuardianInstructionAsync({
    governance: signer,
    guardian,
    newGuardian: address,
    lossGrace,
  });
  const signature = await sendToBase(ledgers, [instruction], signer);
  if (options.json) return printJson({ signature });
  print('Changed.');
}

async function loss(options: TwoKeys): Promise<void> {
  const { signer, ledgers, config } = await governed(options);
  const guardian = await guardianOf(options.guardianKeypair, config);
  const what = wrapped(
    `Declares the execution layer lost. No window opens from now on. After ${durationText(config.lossGrace)} nothing is settled or paid out any more, for good, and recipients take what the recorded tree says out of the pool. Until then either key may revoke it.`,
  );
  if (!(await isWanted(what, options, { lossGrace: config.lossGrace }))) return;
  const instruction = await getDeclareLossInstructionAsync({ governance: signer, guardian });
  const signature = await sendToBase(ledgers, [instruction], signer);
  if (options.json) return printJson({ signature });
  print('Declared lost.');
}

async function revoke(options: GovernanceOptions): Promise<void> {
  const signer = await loadKeypair(options.keypair);
  const ledgers = await baseLedger(options);
  const config = await readConfig(ledgers);
  if (signer.address !== config.governance && signer.address !== config.guardian) {
    throw new Failure('not-governance', `Only governance or guardian may; your key is ${signer.address}.`);
  }
  if (
    !(await isWanted(['Takes back that the execution layer is lost.'], options, { declaredAt: config.lossDeclaredAt }))
  )
    return;
  const signature = await sendToBase(ledgers, [await getRevokeLossInstructionAsync({ signer })], signer);
  if (options.json) return printJson({ signature });
  print('Taken back: the execution layer is in use.');
}
