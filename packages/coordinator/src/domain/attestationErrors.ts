/**
 * Why an endpoint is not trusted.
 * - `quote-unavailable`: it gave none
 * - `quote-invalid`: it is no quote, or its signatures don't lead to the maker of the processor
 * - `platform-revoked`: the maker has revoked the platform's certificate
 * - `module-unknown`: the maker does not vouch for the TDX module that has measured the machine
 * - `platform-outdated`: the platform's firmware is in a state that the settings don't accept
 * - `measurement-unknown`: something else runs there than what the settings name
 * - `challenge-mismatch`: the quote was made for another question
 * - `key-mismatch`: the quote was made for another key than the endpoint answers with
 * - `collateral-unavailable`, `collateral-invalid`, `collateral-stale`: what the maker says of its platforms
 */
export const ATTESTATION_ERRORS = [
  'quote-unavailable',
  'quote-invalid',
  'platform-revoked',
  'module-unknown',
  'platform-outdated',
  'measurement-unknown',
  'challenge-mismatch',
  'key-mismatch',
  'collateral-unavailable',
  'collateral-invalid',
  'collateral-stale',
] as const;
export type AttestationErrorCode = (typeof ATTESTATION_ERRORS)[number];

/** An endpoint that is not trusted; the message is for operators, and holds nothing private. */
export class AttestationError extends Error {
  override readonly name = 'AttestationError';
  readonly code: AttestationErrorCode;

  constructor(code: AttestationErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
