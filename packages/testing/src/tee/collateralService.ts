import { type Loopback, serveLoopback } from '../loopback.ts';
import type { Maker } from './maker.ts';

/** What a maker of processors answers over HTTP, as its own service and caches of it (PCCS) do. */
export class CollateralService {
  #loopback: Loopback | undefined;
  /** The platform's certificate stands in the list of revoked ones. */
  revokes = false;

  private constructor(private readonly maker: Maker) {}

  static async start(maker: Maker): Promise<CollateralService> {
    const service = new CollateralService(maker);
    service.#loopback = await serveLoopback(async (request, response) => {
      const { pathname } = new URL(request.url ?? '/', service.url);
      const [header, chain, body] = (await service.#said())[pathname] ?? [];
      if (header !== undefined) response.setHeader(header, encodeURIComponent(chain ?? ''));
      response.writeHead(body === undefined ? 404 : 200).end(body);
    });
    return service;
  }

  get url(): string {
    return this.#loopback?.url ?? '';
  }

  /** By path: the header that has the chain of who signed it, that chain, and the body. */
  async #said(): Promise<Record<string, [header: string | undefined, chain: string, body: string | Buffer]>> {
    const said = await this.maker.collateral({ revoked: this.revokes });
    const signed = (name: string, body: string, signature: unknown) =>
      `{"${name}":${body},"signature":"${String(signature)}"}`;
    const tcb = signed('tcbInfo', said.tcb_info, said.tcb_info_signature);
    const identity = signed('enclaveIdentity', said.qe_identity, said.qe_identity_signature);
    return {
      '/sgx/certification/v4/pckcrl': [
        'SGX-PCK-CRL-Issuer-Chain',
        said.pck_crl_issuer_chain,
        Buffer.from(String(said.pck_crl), 'hex'),
      ],
      '/sgx/certification/v4/rootcacrl': [undefined, '', String(said.root_ca_crl)],
      '/tdx/certification/v4/tcb': ['TCB-Info-Issuer-Chain', said.tcb_info_issuer_chain, tcb],
      '/tdx/certification/v4/qe/identity': [
        'SGX-Enclave-Identity-Issuer-Chain',
        said.qe_identity_issuer_chain,
        identity,
      ],
    };
  }

  async stop(): Promise<void> {
    await this.#loopback?.stop();
  }
}
