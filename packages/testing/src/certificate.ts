import { createPrivateKey, randomBytes } from 'node:crypto';
import 'reflect-metadata';
import * as x509 from '@peculiar/x509';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const DAY_MS = 86_400_000;

/** A server's key and its certificate, PEM. */
export type Certified = { readonly key: string; readonly cert: string };

/** A new key with a certificate of its own for 127.0.0.1, good for a day before and after `now` (unix milliseconds). */
export async function loopbackCertificate(now: number): Promise<Certified> {
  const keys = await crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned(
    {
      serialNumber: randomBytes(8).toString('hex'),
      name: 'CN=127.0.0.1',
      notBefore: new Date(now - DAY_MS),
      notAfter: new Date(now + DAY_MS),
      signingAlgorithm: ALGORITHM,
      keys,
      extensions: [new x509.SubjectAlternativeNameExtension([{ type: 'ip', value: '127.0.0.1' }])],
    },
    crypto,
  );
  const pkcs8 = Buffer.from(await crypto.subtle.exportKey('pkcs8', keys.privateKey));
  const key = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' }).export({ format: 'pem', type: 'pkcs8' });
  return { key: String(key), cert: certificate.toString('pem') };
}
