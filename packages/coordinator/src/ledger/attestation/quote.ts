import { createHash } from 'node:crypto';
import { type Collateral, Quote, QuoteVerifier } from '@phala/dcap-qvl';
import { AttestationError } from '../../domain/attestationErrors.ts';
import type { Measurements } from './measurements.ts';
import { checkRevocationLists } from './revocation.ts';
import { type Judged, judgeModule } from './tdxModule.ts';

/** A quote whose signatures lead to the maker. */
export type VerifiedQuote = Judged & {
  readonly measurements: Measurements;
  /** 64 bytes that whoever runs there chose. */
  readonly reportData: Uint8Array;
  /** SHA-256 of the quote, hexadecimal. */
  readonly hash: string;
};

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/**
 * Verifies a TDX quote, version 4 or 5, against what the maker says of its platforms; `root` is the maker's certificate, DER, `now` unix
 * milliseconds. What was measured and the report data are for the caller to judge.
 *
 * @throws AttestationError
 */
export async function verifyQuote(
  quote: Uint8Array,
  collateral: Collateral,
  { root, now }: { readonly root: Uint8Array; readonly now: number },
): Promise<VerifiedQuote> {
  const { status, advisory_ids, report } = verified(quote, collateral, root, now);
  await checkRevocationLists({
    platform: platformChain(quote, collateral),
    rootCrl: bytesOf(collateral.root_ca_crl),
    platformCrl: bytesOf(collateral.pck_crl),
    platformCrlIssuers: collateral.pck_crl_issuer_chain,
    root,
    now,
  });
  const machine = report.asTd10();
  if (machine === null) throw new AttestationError('quote-invalid', 'The quote is not of a TDX machine.');
  const judged = judgeModule(machine, collateral.tcb_info, { tcbStatus: status, advisories: advisory_ids });
  return {
    ...judged,
    measurements: {
      mrTd: hex(machine.mrTd),
      rtMr0: hex(machine.rtMr0),
      rtMr1: hex(machine.rtMr1),
      rtMr2: hex(machine.rtMr2),
      rtMr3: hex(machine.rtMr3),
      mrSeam: hex(machine.mrSeam),
      mrConfigId: hex(machine.mrConfigId),
    },
    reportData: machine.reportData,
    hash: createHash('sha256').update(quote).digest('hex'),
  };
}

function verified(quote: Uint8Array, collateral: Collateral, root: Uint8Array, now: number) {
  try {
    return new QuoteVerifier(Buffer.from(root)).verify(Buffer.from(quote), collateral, Math.floor(now / 1_000));
  } catch (cause) {
    const { message } = cause as Error;
    if (message === 'Certificate is revoked') {
      throw new AttestationError('platform-revoked', 'The maker has revoked a certificate of the platform.', { cause });
    }
    if (/expired|in the future/.test(message)) {
      throw new AttestationError('collateral-stale', `What the maker says is not current: ${message}.`, { cause });
    }
    throw new AttestationError('quote-invalid', `The quote does not verify: ${message}.`, { cause });
  }
}

/** The certificates of the platform, its own first, as the library takes them: where what was asked for has them, those. */
function platformChain(
  quote: Uint8Array,
  collateral: Collateral & { readonly pck_certificate_chain?: string },
): string {
  return collateral.pck_certificate_chain || Buffer.from(Quote.parse(Buffer.from(quote)).rawCertChain()).toString();
}

const bytesOf = (bytes: readonly number[] | string): Uint8Array =>
  typeof bytes === 'string' ? Buffer.from(bytes, 'hex') : Uint8Array.from(bytes);
