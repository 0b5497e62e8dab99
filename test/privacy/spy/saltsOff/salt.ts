import { SALT_BYTES } from '../../../../packages/client/src/merkle/owner.ts';

/** Stands in the place of the client's: no salt. */
export const deriveSalt = (): Uint8Array => new Uint8Array(SALT_BYTES);
