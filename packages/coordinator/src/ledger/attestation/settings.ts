import { getConfigDecoder, type LayerGuest, LayerSession, SignInFailed, signInToLayer } from '@payouts/client';
import { QuoteVerifier } from '@phala/dcap-qvl';
import type { Address } from '@solana/kit';
import { readSettingFile } from '../../config/keyReference.ts';
import { SettingsError } from '../../config/settingsError.ts';
import type { Settings } from '../../config/specs.ts';
import { RunError } from '../../domain/errors.ts';
import { type BaseLedger, readAccount } from '../ledger.ts';
import { HttpFailure } from '../rpcCall.ts';
import { collateralFrom } from './collateral.ts';
import { quoteEndpoint } from './endpoint.ts';
import { type Pinned, parsePinned } from './measurements.ts';
import { AttestedTrust, type LayerTrust, type TrustInput, unattested } from './trust.ts';

type TeeSettings = Pick<
  Settings,
  | 'layerRpcUrl'
  | 'layerSignIn'
  | 'layerMeasurements'
  | 'layerQuoteMaxAgeSeconds'
  | 'layerQuoteStatuses'
  | 'layerQuoteRoot'
  | 'layerCollateralUrl'
>;

function pinnedIn(path: string): Pinned {
  const text = readSettingFile('LAYER_MEASUREMENTS', path);
  try {
    return parsePinned(text);
  } catch (error) {
    throw new SettingsError(
      `LAYER_MEASUREMENTS: ${(error as Error).message}: ${path} must hold JSON such as {"mrTd": "96 hexadecimal digits"}.`,
    );
  }
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----([\s\S]+?)-----END CERTIFICATE-----/;

function rootIn(path: string): Uint8Array {
  const base64 = CERTIFICATE.exec(readSettingFile('LAYER_QUOTE_ROOT', path))?.[1];
  if (base64 === undefined) {
    throw new SettingsError(`LAYER_QUOTE_ROOT: there is no certificate in ${path}: write it as PEM.`);
  }
  return Buffer.from(base64, 'base64');
}

/** Calls within a session with the execution layer. */
export type SessionScope = Pick<LayerSession, 'within'>;

const isTokenRefused = (error: unknown): boolean =>
  error instanceof HttpFailure && (error.status === 401 || error.status === 403);

/** A session with the execution layer, where the settings ask for one; its calls throw `RunError` `layer-sign-in-refused` too. */
export function sessionOf(
  { layerRpcUrl, layerSignIn }: Pick<TeeSettings, 'layerRpcUrl' | 'layerSignIn'>,
  {
    authority,
    time,
    signal,
  }: { readonly authority: LayerGuest; readonly signal: AbortSignal } & Pick<TrustInput, 'time'>,
): SessionScope | undefined {
  if (!layerSignIn) return undefined;
  const session = new LayerSession({
    signIn: () => signInToLayer(layerRpcUrl, authority, { time, signal }),
    time,
    isRefused: isTokenRefused,
  });
  return {
    async within(url, call) {
      try {
        return await session.within(url, call);
      } catch (error) {
        if (!(error instanceof SignInFailed && error.isRefused)) throw error;
        const message = 'The execution layer does not let the execution authority in.';
        throw new RunError('layer-sign-in-refused', message, { cause: error });
      }
    },
  };
}

/** How the execution layer is to be trusted. Throws `SettingsError`. */
export function trustOf(
  settings: TeeSettings,
  {
    base,
    config,
    signal,
    ...shared
  }: { readonly base: BaseLedger; readonly config: Address; readonly signal: AbortSignal } & Pick<
    TrustInput,
    'time' | 'log' | 'metrics'
  >,
): LayerTrust {
  const { layerRpcUrl, layerMeasurements, layerQuoteMaxAgeSeconds, layerQuoteStatuses, layerQuoteRoot } = settings;
  if (layerMeasurements === undefined) return unattested;
  return new AttestedTrust({
    ...shared,
    askForQuote: quoteEndpoint(layerRpcUrl, { signal, time: shared.time }),
    findCollateral: collateralFrom(settings.layerCollateralUrl, shared.time),
    pinned: pinnedIn(layerMeasurements),
    accepted: layerQuoteStatuses,
    root: layerQuoteRoot === undefined ? QuoteVerifier.newProd().rootCaDer : rootIn(layerQuoteRoot),
    maxAgeMs: layerQuoteMaxAgeSeconds * 1_000,
    async layerKey() {
      const account = await readAccount(base, config, 'finalized');
      if (account === null) throw new RunError('schedule-missing', "The program's config is not on the base ledger.");
      return getConfigDecoder().decode(account.data).validator;
    },
  });
}
