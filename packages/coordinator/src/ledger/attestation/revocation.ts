import 'reflect-metadata';
import { X509Certificate, X509Crl } from '@peculiar/x509';
import { AttestationError } from '../../domain/attestationErrors.ts';

/** Lists of revoked certificates, DER, and the certificates that they are signed by, PEM: the list's issuer, then the root. */
export type RevocationInput = {
  readonly rootCrl: Uint8Array;
  readonly platformCrl: Uint8Array;
  readonly platformCrlIssuers: string;
  /** The certificates of the platform that made the quote, PEM, its own first. */
  readonly platform: string;
  /** The maker's root, DER. */
  readonly root: Uint8Array;
  /** Unix milliseconds. */
  readonly now: number;
};

const PEM = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;

/**
 * Checks that lists of revoked certificates come from the maker, are current, and that one is of whoever certified the platform. The library that verifies quotes takes any list as it
 * is, and one that it can't read for an empty one; so whoever answers for the maker could keep a revoked platform in use.
 *
 * @throws AttestationError `collateral-invalid`, `collateral-stale`
 */
export async function checkRevocationLists(input: RevocationInput): Promise<void> {
  const { rootCrl, platformCrl, platformCrlIssuers, platform, root, now } = input;
  const anchor = new X509Certificate(Uint8Array.from(root));
  const [pem] = platformCrlIssuers.match(PEM) ?? [];
  if (pem === undefined) throw new AttestationError('collateral-invalid', 'The issuer of the platforms is missing.');
  const issuer = read(() => new X509Certificate(pem), 'The issuer of the platforms');
  const isOurs = await issuer.verify({ publicKey: anchor, date: new Date(now) });
  if (!isOurs || !isAuthority(issuer)) {
    throw new AttestationError('collateral-invalid', 'The issuer of the platforms is not certified by the maker.');
  }
  // Another authority's list is good, and silent of this platform.
  const leaf = read(() => new X509Certificate(platform.match(PEM)?.[0] ?? ''), "The platform's certificate");
  if (leaf.issuer !== issuer.subject || !(await leaf.verify({ publicKey: issuer, signatureOnly: true }))) {
    throw new AttestationError(
      'collateral-invalid',
      'The list of revoked platforms is of another issuer than the platform.',
    );
  }
  await checkList(rootCrl, anchor, now, "The maker's list of revoked certificates");
  await checkList(platformCrl, issuer, now, 'The list of revoked platforms');
}

async function checkList(der: Uint8Array, issuer: X509Certificate, now: number, what: string): Promise<void> {
  const list = read(() => new X509Crl(Uint8Array.from(der)), what);
  if (list.issuer !== issuer.subject || !(await list.verify({ publicKey: issuer }))) {
    throw new AttestationError('collateral-invalid', `${what} is not signed by its issuer.`);
  }
  if (list.thisUpdate.getTime() > now || list.nextUpdate === undefined || list.nextUpdate.getTime() < now) {
    throw new AttestationError('collateral-stale', `${what} is not current.`);
  }
}

const BASIC_CONSTRAINTS = '2.5.29.19';
const isAuthority = (certificate: X509Certificate): boolean =>
  (certificate.getExtension(BASIC_CONSTRAINTS) as { readonly ca?: boolean } | null)?.ca === true;

function read<T>(parse: () => T, what: string): T {
  try {
    return parse();
  } catch (cause) {
    throw new AttestationError('collateral-invalid', `${what} can't be read.`, { cause });
  }
}
