import type { Address, Commitment, GetSignaturesForAddressApi, Rpc } from '@solana/kit';

/** Signatures in one answer; fewer mean that there are no older ones. */
const SIGNATURES_AT_ONCE = 1_000;

type Signed = Awaited<ReturnType<ReturnType<Rpc<GetSignaturesForAddressApi>['getSignaturesForAddress']>['send']>>;

/** All transactions that name an account, successful and failed, as far back as the node has them; newest first. */
export async function signaturesFor(
  rpc: Rpc<GetSignaturesForAddressApi>,
  account: Address,
  commitment: Exclude<Commitment, 'processed'>,
): Promise<Signed> {
  const all: Signed[number][] = [];
  for (;;) {
    const before = all.at(-1)?.signature;
    const page = { commitment, limit: SIGNATURES_AT_ONCE, ...(before !== undefined && { before }) };
    const found = await rpc.getSignaturesForAddress(account, page).send();
    all.push(...found);
    if (found.length < SIGNATURES_AT_ONCE) return all;
  }
}
