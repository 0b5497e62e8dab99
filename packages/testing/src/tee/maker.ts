import { createHash, createPrivateKey, type KeyObject, randomBytes, sign, type webcrypto } from 'node:crypto';
import 'reflect-metadata';
import * as x509 from '@peculiar/x509';
import type { Collateral } from '@phala/dcap-qvl';
import * as asn1 from 'asn1js';

/*
 * A processor's maker, as its certificates and quotes look to whoever verifies them: layouts by Intel's "SGX PCK Certificate and CRL
 * Profile Specification" and "TDX DCAP Quoting Library API", quote version 4.
 */

x509.cryptoProvider.set(crypto);

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const DAY_MS = 86_400_000;
const SGX = '1.2.840.113741.1.13.1';
const FMSPC = Buffer.from('50806f000000', 'hex');
const PCE_SVN = 13;
const COMPONENTS = 16;
const SVN = 5;

type Keys = webcrypto.CryptoKeyPair;
const newKeys = (): Promise<Keys> => crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
const keyObject = async ({ privateKey }: Keys): Promise<KeyObject> =>
  createPrivateKey({
    key: Buffer.from(await crypto.subtle.exportKey('pkcs8', privateKey)),
    format: 'der',
    type: 'pkcs8',
  });
/** As quotes and collateral have signatures: r ‖ s. */
const signed = (key: KeyObject, data: Uint8Array): Buffer => sign('sha256', data, { key, dsaEncoding: 'ieee-p1363' });
/** As quotes have a public key: x ‖ y. */
const pointOf = async ({ publicKey }: Keys): Promise<Buffer> =>
  Buffer.from(await crypto.subtle.exportKey('raw', publicKey)).subarray(1);

type Certified = { readonly certificate: x509.X509Certificate; readonly keys: Keys };

const octets = (bytes: Uint8Array) => new asn1.OctetString({ valueHex: Uint8Array.from(bytes).buffer });
const pair = (oid: string, value: asn1.AsnType) =>
  new asn1.Sequence({ value: [new asn1.ObjectIdentifier({ value: oid }), value] });

/** The extension of a platform's certificate that names its processor and the versions of its firmware. */
function platformExtension(): x509.Extension {
  const components = Array.from({ length: COMPONENTS }, (_, place) =>
    pair(`${SGX}.2.${place + 1}`, new asn1.Integer({ value: SVN })),
  );
  const levels = [
    ...components,
    pair(`${SGX}.2.17`, new asn1.Integer({ value: PCE_SVN })),
    pair(`${SGX}.2.18`, octets(Buffer.alloc(COMPONENTS, SVN))),
  ];
  const value = new asn1.Sequence({
    value: [
      pair(`${SGX}.1`, octets(randomBytes(16))),
      pair(`${SGX}.2`, new asn1.Sequence({ value: levels })),
      pair(`${SGX}.3`, octets(Buffer.alloc(2))),
      pair(`${SGX}.4`, octets(FMSPC)),
      pair(`${SGX}.5`, new asn1.Enumerated({ value: 0 })),
    ],
  });
  return new x509.Extension(SGX, false, value.toBER());
}

/** What a quote says of the machine that made it; every measurement of 48 bytes. */
export type MadeQuote = {
  readonly reportData: Uint8Array;
  readonly mrTd?: Uint8Array;
  readonly rtMr?: readonly [Uint8Array, Uint8Array, Uint8Array, Uint8Array];
  readonly mrSeam?: Uint8Array;
  /** Bit 0: the machine can be debugged. */
  readonly tdAttributes?: Uint8Array;
  /** Changes the header, the machine's report or the quoting enclave's before they are signed. */
  readonly change?: { readonly [Part in 'header' | 'report' | 'qeReport']?: (bytes: Buffer) => void };
};

/** What is said of the modules that keep machines apart: the maker's own signature, and no attribute. */
const MODULE = { mrsigner: '00'.repeat(48), attributes: '00'.repeat(8), attributesMask: 'FF'.repeat(8) };

/** What a maker says of a platform's firmware, and of the enclave that makes its quotes, as far as tests change it. */
type Said = { [name: string]: unknown };
type MadeCollateral = {
  readonly revoked?: boolean;
  readonly ofOthers?: boolean;
  /** Unix milliseconds. */
  readonly now?: number;
  readonly tcbInfo?: (said: Said) => void;
  readonly qeIdentity?: (said: Said) => void;
};

export type MakerInput = {
  /** Unix milliseconds from which certificates and collateral are good. */
  readonly now?: number;
  /** What the platform's firmware counts as. */
  readonly tcbStatus?: string;
};

/** A maker of processors with one platform. */
export class Maker {
  readonly rootDer: Buffer;

  private constructor(
    private readonly now: number,
    private readonly tcbStatus: string,
    private readonly root: Certified,
    private readonly authority: Certified,
    private readonly otherAuthority: Certified,
    private readonly platform: Certified,
    private readonly signer: Certified,
  ) {
    this.rootDer = Buffer.from(root.certificate.rawData);
  }

  static async found({ now = Date.now(), tcbStatus = 'UpToDate' }: MakerInput = {}): Promise<Maker> {
    const root = await certify(now, 'CN=SGX Root CA of a test', undefined, true);
    const authority = await certify(now, 'CN=SGX PCK Platform CA of a test', root, true);
    const otherAuthority = await certify(now, 'CN=SGX PCK Processor CA of a test', root, true);
    const platform = await certify(now, 'CN=SGX PCK Certificate of a test', authority, false, [platformExtension()]);
    const signer = await certify(now, 'CN=SGX TCB Signing of a test', root, false);
    return new Maker(now, tcbStatus, root, authority, otherAuthority, platform, signer);
  }

  /**
   * What a verifier asks the maker for. `revoked`: the platform's certificate stands in the list of revoked ones; `ofOthers`: that list is of
   * another authority, which certifies other platforms; `tcbInfo` and `qeIdentity` change what is said before it is signed.
   */
  async collateral({
    revoked = false,
    ofOthers = false,
    now = this.now,
    tcbInfo: changeInfo,
    qeIdentity: changeIdentity,
  }: MadeCollateral = {}): Promise<Collateral> {
    const dates = { issueDate: iso(now - DAY_MS), nextUpdate: iso(now + DAY_MS) };
    const level = (tcb: object) => ({ tcb, tcbDate: iso(now - DAY_MS), tcbStatus: this.tcbStatus });
    const upToDate = (tcb: object) => ({ ...level(tcb), tcbStatus: 'UpToDate' });
    const lists = ofOthers ? this.otherAuthority : this.authority;
    const components = Array.from({ length: COMPONENTS }, () => ({ svn: SVN }));
    const info = {
      id: 'TDX',
      version: 3,
      ...dates,
      fmspc: FMSPC.toString('hex'),
      pceId: '0000',
      tcbType: 0,
      tcbEvaluationDataNumber: 17,
      tcbLevels: [level({ sgxtcbcomponents: components, pcesvn: PCE_SVN, tdxtcbcomponents: components })],
      tdxModule: MODULE,
      tdxModuleIdentities: [
        { id: 'TDX_04', ...MODULE, tcbLevels: [level({ isvsvn: 1 })] },
        {
          id: 'TDX_05',
          ...MODULE,
          tcbLevels: [upToDate({ isvsvn: SVN }), { ...upToDate({ isvsvn: 2 }), tcbStatus: 'OutOfDate' }],
        },
      ],
    };
    const identity = {
      id: 'TD_QE',
      version: 2,
      ...dates,
      tcbEvaluationDataNumber: 17,
      miscselect: '00000000',
      miscselectMask: 'FFFFFFFF',
      attributes: '11000000000000000000000000000000',
      attributesMask: 'FBFFFFFFFFFFFFFF0000000000000000',
      mrsigner: QE_SIGNER.toString('hex'),
      isvprodid: 2,
      tcbLevels: [upToDate({ isvsvn: 4 })],
    };
    changeInfo?.(info);
    changeIdentity?.(identity);
    const [tcbInfo, qeIdentity] = [JSON.stringify(info), JSON.stringify(identity)];
    const key = await keyObject(this.signer.keys);
    const signerChain = pem(this.signer, this.root);
    return {
      pck_crl_issuer_chain: pem(lists, this.root),
      root_ca_crl: (await revoking(this.root, [], now)).toString('hex'),
      pck_crl: (await revoking(lists, revoked ? [this.platform] : [], now)).toString('hex'),
      tcb_info_issuer_chain: signerChain,
      tcb_info: tcbInfo,
      tcb_info_signature: signed(key, Buffer.from(tcbInfo)).toString('hex'),
      qe_identity_issuer_chain: signerChain,
      qe_identity: qeIdentity,
      qe_identity_signature: signed(key, Buffer.from(qeIdentity)).toString('hex'),
    };
  }

  /** A quote by the platform's quoting enclave. */
  async quote({ reportData, mrTd, rtMr, mrSeam, tdAttributes, change = {} }: MadeQuote): Promise<Buffer> {
    const header = Buffer.alloc(48);
    header.writeUInt16LE(4, 0);
    header.writeUInt16LE(2, 2);
    header.writeUInt32LE(0x81, 4);
    QE_VENDOR.copy(header, 12);
    const none = Buffer.alloc(48);
    const report = Buffer.concat([
      Buffer.alloc(16, SVN),
      mrSeam ?? none,
      none,
      Buffer.alloc(8),
      tdAttributes ?? Buffer.from('0000001000000000', 'hex'),
      Buffer.alloc(8),
      mrTd ?? none,
      none,
      none,
      none,
      ...(rtMr ?? [none, none, none, none]),
      padded(reportData, 64),
    ]);
    change.header?.(header);
    change.report?.(report);
    const attestation = await newKeys();
    const point = await pointOf(attestation);
    const authData = randomBytes(32);
    const qeReport = Buffer.alloc(384);
    qeReport.fill(SVN, 0, 16);
    qeReport[48] = 0x11;
    QE_SIGNER.copy(qeReport, 128);
    qeReport.writeUInt16LE(2, 256);
    qeReport.writeUInt16LE(4, 258);
    createHash('sha256').update(point).update(authData).digest().copy(qeReport, 320);
    change.qeReport?.(qeReport);
    const chain = Buffer.from(pem(this.platform, this.authority, this.root));
    const qeData = Buffer.concat([
      qeReport,
      signed(await keyObject(this.platform.keys), qeReport),
      u16(authData.length),
      authData,
      u16(5),
      u32(chain.length),
      chain,
    ]);
    const body = Buffer.concat([header, report]);
    const authentication = Buffer.concat([
      signed(await keyObject(attestation), body),
      point,
      u16(6),
      u32(qeData.length),
      qeData,
    ]);
    return Buffer.concat([body, u32(authentication.length), authentication]);
  }
}

const QE_VENDOR = Buffer.from('939a7233f79c4ca9940a0db3957f0607', 'hex');
const QE_SIGNER = createHash('sha256').update('the signer of the quoting enclave').digest();

const iso = (milliseconds: number) => new Date(milliseconds).toISOString();
const padded = (bytes: Uint8Array, length: number) => Buffer.concat([bytes, Buffer.alloc(length - bytes.length)]);
const pem = (...chain: readonly Certified[]) =>
  chain.map(({ certificate }) => `${certificate.toString('pem')}\n`).join('');

function u16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

async function certify(
  now: number,
  subject: string,
  issuer: Certified | undefined,
  isAuthority: boolean,
  extensions: readonly x509.Extension[] = [],
): Promise<Certified> {
  const keys = await newKeys();
  const usage = isAuthority
    ? x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign
    : x509.KeyUsageFlags.digitalSignature;
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: `01${randomBytes(15).toString('hex')}`,
    subject,
    issuer: issuer?.certificate.subject ?? subject,
    notBefore: new Date(now - DAY_MS),
    notAfter: new Date(now + 3_650 * DAY_MS),
    publicKey: keys.publicKey,
    signingKey: (issuer?.keys ?? keys).privateKey,
    signingAlgorithm: ALGORITHM,
    extensions: [
      new x509.BasicConstraintsExtension(isAuthority, undefined, true),
      new x509.KeyUsagesExtension(usage, true),
      ...extensions,
    ],
  });
  return { certificate, keys };
}

async function revoking(issuer: Certified, revoked: readonly Certified[], now: number): Promise<Buffer> {
  const list = await x509.X509CrlGenerator.create({
    issuer: issuer.certificate.subject,
    thisUpdate: new Date(now - DAY_MS),
    nextUpdate: new Date(now + DAY_MS),
    entries: revoked.map(({ certificate }) => ({
      serialNumber: certificate.serialNumber,
      revocationDate: new Date(now - DAY_MS),
    })),
    signingKey: issuer.keys.privateKey,
    signingAlgorithm: ALGORITHM,
  });
  return Buffer.from(list.rawData);
}
