import { ClientError } from '../http/clientError.ts';
import { sha256 } from '../merkle/hash.ts';
import { isOnCurve } from './curve.ts';

/** The bytes of a program-derived address and the bump that took it off the curve. */
export type DerivedAddress = { readonly bytes: Uint8Array; readonly bump: number };

const MARKER = new TextEncoder().encode('ProgramDerivedAddress');

/**
 * Derives a program address at once, without promises: H(seeds ‖ bump ‖ program ‖ "ProgramDerivedAddress") for the largest bump
 * that is not on the curve. `seeds` are the seeds' bytes, one after the other. Throws `NO_ADDRESS` if no bump serves.
 */
export function deriveProgramAddress(seeds: Uint8Array, program: Uint8Array): DerivedAddress {
  const input = new Uint8Array(seeds.length + 1 + program.length + MARKER.length);
  input.set(seeds);
  input.set(program, seeds.length + 1);
  input.set(MARKER, seeds.length + 1 + program.length);
  for (let bump = 255; bump >= 0; bump--) {
    input[seeds.length] = bump;
    const bytes = sha256(input);
    if (!isOnCurve(bytes)) return { bytes, bump };
  }
  throw new ClientError('NO_ADDRESS', 'No bump takes these seeds off the curve.');
}
