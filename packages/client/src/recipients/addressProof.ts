import {
  type Address,
  getPublicKeyFromAddress,
  type MessagePartialSigner,
  type SignatureBytes,
  verifySignature,
} from '@solana/kit';
import { signatureOver } from '../http/authorisation.ts';
import { toBase64Url } from '../http/base64.ts';
import { sha256 } from '../merkle/hash.ts';
import { codeOf, spokenCode } from '../shortCode.ts';

/** That somebody who was invited gives an address to an employer. */
export type GivenAddress = {
  /** The employer's vault. */
  readonly vault: Address;
  /** Id of the invitation. */
  readonly invitation: string;
  readonly address: Address;
};

/** That a recipient wants an employer to pay them to another address. */
export type AddressChange = {
  readonly vault: Address;
  /** The address that is paid today. */
  readonly present: Address;
  readonly next: Address;
  /** Unix milliseconds, whole seconds. */
  readonly askedAt: number;
};

const GIVES = {
  heading: 'Payouts: give my address to an employer',
  warning: 'Sign this only if you want this employer to pay you to this address. It moves no money.',
};
const CHANGES = {
  heading: 'Payouts: have an employer pay me to another address',
  warning:
    'Sign this only if you want this employer to pay you to the new address from the next list on. It moves no money.',
};

/** The text that proves that whoever gives an address has its key. No other text that is signed here begins like it. */
export const givenAddressMessage = ({ vault, invitation, address }: GivenAddress): Uint8Array =>
  textOf(GIVES, { Address: address, 'Vault of the employer': vault, Invitation: invitation });

/** The text that both keys sign, the one that is paid today and the other one. */
export const addressChangeMessage = ({ vault, present, next, askedAt }: AddressChange): Uint8Array =>
  textOf(CHANGES, {
    'Paid today': present,
    'New address': next,
    'Vault of the employer': vault,
    Asked: new Date(askedAt).toISOString(),
  });

function textOf({ heading, warning }: typeof GIVES, named: Readonly<Record<string, string>>): Uint8Array {
  const lines = Object.entries(named).map(([name, value]) => `${name}: ${value}`);
  return new TextEncoder().encode([heading, '', warning, '', ...lines].join('\n'));
}

/** What both sides see of an address, and compare by telephone or face to face: another address has another code. */
export const checkCodeOf = (message: Uint8Array): string => spokenCode(codeOf(sha256(message)));

/** Somebody's proof that they give an address. Throws `SIGNATURE_MISSING`. */
export const signGivenAddress = (signer: MessagePartialSigner, given: GivenAddress): Promise<SignatureBytes> =>
  signatureOver(signer, givenAddressMessage(given));

/** Both keys' signatures of a change, in base 64 for addresses. Throws `SIGNATURE_MISSING`. */
export async function signAddressChange(
  present: MessagePartialSigner,
  next: MessagePartialSigner,
  of: Pick<AddressChange, 'vault' | 'askedAt'>,
): Promise<{ readonly signatures: { readonly present: string; readonly next: string }; readonly check: string }> {
  const message = addressChangeMessage({ ...of, present: present.address, next: next.address });
  const [first, second] = [await signatureOver(present, message), await signatureOver(next, message)];
  return { signatures: { present: toBase64Url(first), next: toBase64Url(second) }, check: checkCodeOf(message) };
}

/** Whether a text was signed by an address. */
export async function isSignedBy(address: Address, message: Uint8Array, signature: Uint8Array): Promise<boolean> {
  try {
    return await verifySignature(await getPublicKeyFromAddress(address), signature as SignatureBytes, message);
  } catch {
    // No point of the curve, or no 64 bytes.
    return false;
  }
}
