import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Maker } from './maker.ts';

/** What a maker of processors answers over HTTP, as its own service and caches of it (PCCS) do. */
export class CollateralService {
  readonly url: string;
  readonly #server: Server;
  /** The platform's certificate stands in the list of revoked ones. */
  revokes = false;

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  static async start(maker: Maker): Promise<CollateralService> {
    const server = createServer((request, response) => {
      void (async () => {
        const said = await maker.collateral({ revoked: service.revokes });
        const path = new URL(request.url ?? '/', service.url).pathname;
        const signed = (name: string, body: string, signature: unknown) =>
          `{"${name}":${body},"signature":"${String(signature)}"}`;
        const chain = (text: string) => encodeURIComponent(text);
        if (path === '/sgx/certification/v4/pckcrl') {
          response.setHeader('SGX-PCK-CRL-Issuer-Chain', chain(said.pck_crl_issuer_chain));
          return response.end(Buffer.from(String(said.pck_crl), 'hex'));
        }
        if (path === '/sgx/certification/v4/rootcacrl') {
          return response.end(String(said.root_ca_crl));
        }
        if (path === '/tdx/certification/v4/tcb') {
          response.setHeader('TCB-Info-Issuer-Chain', chain(said.tcb_info_issuer_chain));
          return response.end(signed('tcbInfo', said.tcb_info, said.tcb_info_signature));
        }
        if (path === '/tdx/certification/v4/qe/identity') {
          response.setHeader('SGX-Enclave-Identity-Issuer-Chain', chain(said.qe_identity_issuer_chain));
          return response.end(signed('enclaveIdentity', said.qe_identity, said.qe_identity_signature));
        }
        response.statusCode = 404;
        return response.end();
      })();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const service = new CollateralService(server);
    return service;
  }

  stop(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }
}
