/** What a coordinator says of its deployment: `GET /api/deployment`. */
export type PublicDeployment = {
  readonly program: string;
  /** Null: the base ledger does not answer the coordinator. */
  readonly genesisHash: string | null;
  readonly rpcUrls: readonly string[];
  readonly layerUrls: readonly string[];
  readonly layerIsPrivate: boolean;
  /** What lists are sealed for; null: the coordinator's key service does not answer. */
  readonly listKey: JsonWebKey | null;
  /** Where the recipients' page is; null: it is not served here. */
  readonly recipientPage: string | null;
  readonly tokens: readonly { readonly mint: string; readonly symbol: string | null; readonly decimals: number }[];
};

/** A page can't ask a ledger. The message says why, and what to do. */
export class LedgerUnavailable extends Error {
  override readonly name = 'LedgerUnavailable';
}

/** Reads what the coordinator at an address says of its deployment. Throws `LedgerUnavailable`. */
export async function readDeployment(apiUrl = location.origin): Promise<PublicDeployment> {
  const answer = await fetch(`${apiUrl}/api/deployment`, { cache: 'no-store', credentials: 'omit' }).catch(
    () => undefined,
  );
  if (answer?.ok !== true) {
    throw new LedgerUnavailable('The coordinator does not say where its ledgers are. Try again in a moment.');
  }
  return (await answer.json()) as PublicDeployment;
}
