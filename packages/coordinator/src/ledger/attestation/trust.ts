import { randomBytes } from 'node:crypto';
import { addressToBytes, type Time } from '@payouts/client';
import type { TcbStatus } from '@phala/dcap-qvl';
import type { Address } from '@solana/kit';
import { AttestationError } from '../../domain/attestationErrors.ts';
import { RunError } from '../../domain/errors.ts';
import type { Logger } from '../../platform/log/log.ts';
import type { Metrics } from '../../platform/metrics.ts';
import type { FindCollateral } from './collateral.ts';
import type { AskForQuote } from './endpoint.ts';
import { checkMeasurements, type Pinned } from './measurements.ts';
import { type VerifiedQuote, verifyQuote } from './quote.ts';

/** Bytes of a challenge: the first half of a quote's report data. The second half is the layer's own key. */
const CHALLENGE_BYTES = 32;
/** Milliseconds before an endpoint that was not trusted is asked again: many runs may wait for it. */
const AGAIN_AFTER_MS = 2_000;

/** Milliseconds after which what the maker says of a platform is asked for anew: a revocation counts from then on. */
const COLLATERAL_MS = 6 * 3_600_000;
/** The same of a layer that was not trusted: what has been fixed since is to be seen soon. */
const DOUBTED_COLLATERAL_MS = 10_000;

/** Whether the execution layer may be shown what is private. */
export interface LayerTrust {
  /**
   * SHA-256, hexadecimal, of the quote by which the layer is trusted now; null where none is asked for. Throws `RunError`
   * `layer-untrusted`.
   */
  quoteHash(): Promise<string | null>;
}

/** Of a layer that is not asked for quotes, such as a local one. */
export const unattested: LayerTrust = { quoteHash: async () => null };

export type TrustInput = {
  readonly askForQuote: AskForQuote;
  readonly findCollateral: FindCollateral;
  readonly pinned: Pinned;
  /** States of a platform's firmware that are accepted. */
  readonly accepted: readonly TcbStatus[];
  /** The maker's certificate, DER. */
  readonly root: Uint8Array;
  /** Milliseconds for which a quote counts. */
  readonly maxAgeMs: number;
  /** The key that the ledger program's config names for the layer. */
  readonly layerKey: () => Promise<Address>;
  readonly time: Time;
  readonly log: Logger;
  readonly metrics: Metrics;
};

type Known = { readonly outcome: Promise<string>; until: number };

/**
 * Trusts a layer by quotes: made by a processor whose maker vouches for it, by a machine that was measured to be one of those pinned, for a
 * fresh challenge and for the key that the ledger knows the layer by. One quote serves all who ask while it is young enough.
 */
export class AttestedTrust implements LayerTrust {
  #known: Known | undefined;
  #wasTrusted: boolean | undefined;

  constructor(private readonly input: TrustInput) {}

  quoteHash(): Promise<string> {
    if (this.#known !== undefined && this.input.time.now() < this.#known.until) return this.#known.outcome;
    const known: Known = { outcome: this.#ask(), until: Number.POSITIVE_INFINITY };
    this.#known = known;
    const began = this.input.time.now();
    known.outcome.then(
      () => {
        known.until = began + this.input.maxAgeMs;
      },
      () => {
        known.until = this.input.time.now() + AGAIN_AFTER_MS;
      },
    );
    return known.outcome;
  }

  async #ask(): Promise<string> {
    const { metrics, log } = this.input;
    try {
      const { hash, tcbStatus } = await this.#attest();
      metrics.attestations.inc({ outcome: 'trusted' });
      metrics.layerTrusted.set(1);
      if (this.#wasTrusted !== true) log.info({ state: tcbStatus }, 'the execution layer is trusted');
      this.#wasTrusted = true;
      return hash;
    } catch (error) {
      metrics.layerTrusted.set(0);
      const code = error instanceof AttestationError ? error.code : undefined;
      metrics.attestations.inc({ outcome: code ?? 'failed' });
      if (code === undefined) throw error;
      const { message } = error as AttestationError;
      if (this.#wasTrusted !== false) log.error({ code, detail: message }, 'the execution layer is not trusted');
      this.#wasTrusted = false;
      throw new RunError('layer-untrusted', `${message} (${code})`, { cause: error });
    }
  }

  async #attest(): Promise<VerifiedQuote> {
    const { askForQuote, findCollateral, pinned, accepted, root, layerKey, time } = this.input;
    const key = await layerKey();
    const challenge = randomBytes(CHALLENGE_BYTES);
    const quote = await askForQuote(challenge);
    const now = time.now();
    const maxAgeMs = this.#wasTrusted === false ? DOUBTED_COLLATERAL_MS : COLLATERAL_MS;
    const verified = await verifyQuote(quote, await findCollateral(quote, now, maxAgeMs), { root, now });
    if (!accepted.includes(verified.tcbStatus)) {
      throw new AttestationError(
        'platform-outdated',
        `The platform's firmware counts as ${verified.tcbStatus}, which LAYER_QUOTE_STATUSES does not have.`,
      );
    }
    const reportData = Buffer.from(verified.reportData);
    if (!reportData.subarray(0, CHALLENGE_BYTES).equals(challenge)) {
      throw new AttestationError('challenge-mismatch', 'The quote was made for another challenge.');
    }
    if (!reportData.subarray(CHALLENGE_BYTES).equals(addressToBytes(key))) {
      throw new AttestationError('key-mismatch', `The quote was made for another key than ${key}.`);
    }
    checkMeasurements(verified.measurements, pinned);
    return verified;
  }
}
