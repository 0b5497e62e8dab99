import type { TcbStatus, TDReport10 } from '@phala/dcap-qvl';
import { AttestationError } from '../../domain/attestationErrors.ts';

type Signer = { readonly mrsigner: string; readonly attributes: string; readonly attributesMask: string };
type Level = {
  readonly tcb: { readonly isvsvn: number };
  readonly tcbStatus: TcbStatus;
  readonly advisoryIDs?: readonly string[];
};
/** What the maker says of the modules that keep machines apart; a part of what it signs for a platform. */
type Modules = {
  /** The first version. */
  readonly tdxModule?: Signer;
  readonly tdxModuleIdentities?: readonly (Signer & { readonly id: string; readonly tcbLevels: readonly Level[] })[];
};

/** States of firmware, the best one first. */
const STATES: readonly TcbStatus[] = [
  'UpToDate',
  'SWHardeningNeeded',
  'ConfigurationNeeded',
  'ConfigurationAndSWHardeningNeeded',
  'OutOfDate',
  'OutOfDateConfigurationNeeded',
  'Revoked',
];

export type Judged = { readonly tcbStatus: TcbStatus; readonly advisories: readonly string[] };

const unknown = (what: string) =>
  new AttestationError('module-unknown', `The module that keeps machines apart is not the maker's: ${what}.`);

/**
 * Checks that the TDX module which measured a machine is one that the maker vouches for: signed by it, with its attributes, of a version
 * that it knows. Gives the worse of the module's and the platform's state. By Intel's "TDX DCAP Quote Verification", which the library that
 * verifies quotes leaves out. `tcbInfo` is what the maker has signed.
 *
 * @throws AttestationError `module-unknown`, `platform-revoked`
 */
export function judgeModule(machine: TDReport10, tcbInfo: string, platform: Judged): Judged {
  const { tdxModule, tdxModuleIdentities = [] } = JSON.parse(tcbInfo) as Modules;
  const [svn = 0, version = 0] = machine.teeTcbSvn;
  const id = `TDX_${version.toString(16).padStart(2, '0').toUpperCase()}`;
  const identity = version === 0 ? undefined : tdxModuleIdentities.find((each) => each.id.toUpperCase() === id);
  const signer = version === 0 ? tdxModule : identity;
  if (signer === undefined) throw unknown(`the maker says nothing of ${id}`);
  checkSigner(machine, signer);
  if (identity === undefined) return platform;
  const level = identity.tcbLevels.find(({ tcb }) => svn >= tcb.isvsvn);
  if (level === undefined) throw unknown(`version ${svn} of ${id} is older than any that counts`);
  if (level.tcbStatus === 'Revoked') {
    throw new AttestationError('platform-revoked', 'The maker has revoked the module that keeps machines apart.');
  }
  return {
    tcbStatus: badnessOf(level.tcbStatus) > badnessOf(platform.tcbStatus) ? level.tcbStatus : platform.tcbStatus,
    advisories: [...new Set([...platform.advisories, ...(level.advisoryIDs ?? [])])],
  };
}

/** A state that nobody has heard of is the worst. */
function badnessOf(state: TcbStatus): number {
  const place = STATES.indexOf(state);
  return place < 0 ? STATES.length : place;
}

function checkSigner(machine: TDReport10, { mrsigner, attributes, attributesMask }: Signer): void {
  if (!Buffer.from(mrsigner, 'hex').equals(machine.mrSignerSeam)) throw unknown('it has another signer');
  const [wanted, mask] = [Buffer.from(attributes, 'hex'), Buffer.from(attributesMask, 'hex')];
  const differs = (byte: number, place: number) => (byte & (mask[place] ?? 0xff)) !== (wanted[place] ?? 0);
  if (machine.seamAttributes.some(differs)) throw unknown('it has other attributes');
}
