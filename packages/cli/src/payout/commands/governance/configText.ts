import { type Config, millisOf } from '@payouts/client';
import type { Address } from '@solana/kit';
import { SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system';
import { withName } from '../../amounts.ts';
import { durationText } from '../../duration.ts';
import { columns } from '../../output.ts';
import { timeText } from '../../timeText.ts';
import { EMPLOYERS_LISTED, SOL, TOKENS_LISTED } from './parts.ts';

/** Addresses are zero where there is nobody; that is the system program's. */
export const NO_KEY: Address = SYSTEM_PROGRAM_ADDRESS;

type Shown = Omit<Config, 'kind' | 'version' | 'bump'>;

/** A new config: nothing is proposed, suspended or declared. */
export const NOTHING_PENDING = {
  pendingGovernance: NO_KEY,
  pendingAuthority: NO_KEY,
  authorityFrom: 0n,
  suspendedUntil: 0n,
  governanceSuspendsFrom: 0n,
  guardianSuspendsFrom: 0n,
  nextGuardian: NO_KEY,
  guardianFrom: 0n,
  nextGovernance: NO_KEY,
  governanceFrom: 0n,
  governanceRevokesFrom: 0n,
  guardianRevokesFrom: 0n,
  lossDeclaredAt: 0n,
};

/** Each part of a config with its name, in words. */
export function partsOf(config: Shown): readonly (readonly [string, string])[] {
  const admitted = (flag: number) => ((config.flags & flag) === 0 ? 'any' : 'listed ones only');
  const time = (unixSeconds: bigint) => timeText(millisOf(unixSeconds));
  const { lossDeclaredAt: declared } = config;
  const proposed = (key: Address, from: bigint) =>
    key === NO_KEY ? 'nobody' : `${key}; may take over from ${time(from)}`;
  return [
    ['governance', config.governance],
    ['handed over to', config.pendingGovernance === NO_KEY ? 'nobody' : config.pendingGovernance],
    ['proposed in its place', proposed(config.nextGovernance, config.governanceFrom)],
    ['guardian', config.guardian],
    ['proposed as guardian', proposed(config.nextGuardian, config.guardianFrom)],
    ['execution authority', config.executionAuthority],
    ['proposed for it', proposed(config.pendingAuthority, config.authorityFrom)],
    ['suspended', config.suspendedUntil === 0n ? 'no' : `until ${time(config.suspendedUntil)}`],
    ['validator of new pools', config.validator],
    ['employers', admitted(EMPLOYERS_LISTED)],
    ['tokens', admitted(TOKENS_LISTED)],
    ['recipients, at most', config.maxRecipients.toLocaleString('en')],
    ['interval, at least', durationText(config.minInterval)],
    ['batch timeout', `${durationText(config.minBatchTimeout)} to ${durationText(config.maxBatchTimeout)}`],
    ['claims at a time', String(config.maxClaims)],
    ['fee of a window', withName(BigInt(config.windowFee), SOL)],
    ['fee of a recipient', withName(BigInt(config.recipientFee), SOL)],
    ['fee of an opening', withName(BigInt(config.openingFee), SOL)],
    ['grace of a loss', durationText(config.lossGrace)],
    [
      'execution layer',
      declared === 0n
        ? 'in use'
        : `declared lost; for good from ${time(declared + BigInt(config.lossGrace))} unless revoked`,
    ],
  ];
}

/** A config as a table. */
export const configLines = (config: Shown): string[] => columns(partsOf(config));

/** What differs between two configs, a line each. */
export function changedLines(before: Shown, after: Shown): string[] {
  const former = new Map(partsOf(before));
  const changed = partsOf(after).filter(([name, value]) => former.get(name) !== value);
  return changed.flatMap(([name, value]) => [`  ${name}: ${former.get(name)}`, `    → ${value}`]);
}

/** A config for programs; times in unix milliseconds. */
export function configJson({ kind: _kind, version: _version, bump: _bump, flags, ...config }: Config): object {
  const key = (at: Address) => (at === NO_KEY ? null : at);
  const moment = (at: bigint) => (at === 0n ? null : millisOf(at));
  return {
    ...config,
    pendingGovernance: key(config.pendingGovernance),
    pendingAuthority: key(config.pendingAuthority),
    authorityFrom: moment(config.authorityFrom),
    nextGovernance: key(config.nextGovernance),
    governanceFrom: moment(config.governanceFrom),
    nextGuardian: key(config.nextGuardian),
    guardianFrom: moment(config.guardianFrom),
    suspendedUntil: moment(config.suspendedUntil),
    governanceSuspendsFrom: moment(config.governanceSuspendsFrom),
    guardianSuspendsFrom: moment(config.guardianSuspendsFrom),
    governanceRevokesFrom: moment(config.governanceRevokesFrom),
    guardianRevokesFrom: moment(config.guardianRevokesFrom),
    lossDeclaredAt: moment(config.lossDeclaredAt),
    employersListed: (flags & EMPLOYERS_LISTED) !== 0,
    tokensListed: (flags & TOKENS_LISTED) !== 0,
  };
}
