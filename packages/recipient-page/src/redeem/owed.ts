import {
  ClientError,
  type Due,
  draftForBase,
  duesOf,
  fetchTokenInfo,
  type LayerLoss,
  NotRedeemable,
  type ProvenBalance,
  proofFileFromJson,
  type RedeemFault,
  readLayerLoss,
  redeemTransactions,
  type TokenInfo,
} from '@payouts/client';
import type { PageBase } from '@payouts/pages/ledgers';
import { type Address, createNoopSigner, type Instruction } from '@solana/kit';

/** What a proof file and the ledger say together. */
export type Owed = {
  readonly loss: LayerLoss;
  readonly recipient: Address;
  readonly parts: readonly OwedPart[];
  /** Why other balances of the file give nothing. */
  readonly faults: readonly RedeemFault[];
  readonly tokens: ReadonlyMap<Address, TokenInfo>;
};
type OwedPart = { readonly balance: ProvenBalance; readonly dues: readonly Due[] };

/** Reads a proof file. Throws `ClientError`. */
export async function readProofFile(file: File): Promise<readonly ProvenBalance[]> {
  try {
    return proofFileFromJson(JSON.parse(await file.text()));
  } catch (cause) {
    throw new ClientError(
      'INVALID_LEAF',
      'This is no proof file. Choose the one that you saved from your pay’s page.',
      {
        cause,
      },
    );
  }
}

/** Looks on the ledger for what is due by a proof file. */
export async function look(ledgers: PageBase, balances: readonly ProvenBalance[]): Promise<Owed> {
  const [first] = balances;
  if (first === undefined) throw new ClientError('INVALID_LEAF', 'This proof file is empty.');
  const parts: OwedPart[] = [];
  const faults: RedeemFault[] = [];
  for (const balance of balances) {
    try {
      parts.push({ balance, dues: await duesOf(ledgers, balance, balance.proofs) });
    } catch (error) {
      if (!(error instanceof NotRedeemable)) throw error;
      faults.push(error.fault);
    }
  }
  const tokens = new Map<Address, TokenInfo>();
  for (const mint of new Set(balances.flatMap(({ proofs }) => proofs.map((proof) => proof.mint)))) {
    const token = await fetchTokenInfo(ledgers, mint);
    if (token !== undefined) tokens.set(mint, token);
  }
  return { loss: await readLayerLoss(ledgers), recipient: first.recipient, parts, faults, tokens };
}

/** Base units that are due, by token. */
export function totals({ parts, tokens }: Owed): readonly { readonly token: TokenInfo; readonly amount: bigint }[] {
  const dues = parts.flatMap((part) => part.dues);
  return [...tokens.values()].flatMap((token) => {
    const amount = dues.reduce((sum, due) => (due.mint === token.mint ? sum + due.amount : sum), 0n);
    return amount === 0n ? [] : [{ token, amount }];
  });
}

/** The transactions that take everything out, to one wallet. Whoever signs is named by address. */
export async function redeemAll(
  { parts, tokens }: Owed,
  { payer, wallet }: { readonly payer: Address; readonly wallet: Address },
): Promise<readonly (readonly Instruction[])[]> {
  const programOf = new Map([...tokens].map(([mint, { program }]) => [mint, program]));
  const built = parts.map(({ balance: { recipient, salt, delivery }, dues }) =>
    redeemTransactions(dues, {
      ...{ recipient: createNoopSigner(recipient), payer: createNoopSigner(payer) },
      ...{ salt, delivery, wallet, programOf },
    }),
  );
  return (await Promise.all(built)).flat();
}

/** Lamports that all of it takes from whoever pays, rent of new accounts among them; undefined: the node does not tell. */
export async function costOf(
  ledgers: PageBase,
  payer: Address,
  transactions: readonly (readonly Instruction[])[],
): Promise<bigint | undefined> {
  let total = 0n;
  const { value: before } = await ledgers.base.getBalance(payer).send();
  for (const instructions of transactions) {
    const { wire } = await draftForBase(ledgers, instructions, payer);
    const config = { encoding: 'base64', accounts: { addresses: [payer], encoding: 'base64' } } as const;
    const { value } = await ledgers.base.simulateTransaction(wire, config).send();
    const after = value.accounts[0]?.lamports;
    if (value.err !== null || after === undefined) return undefined;
    total += before - after;
  }
  return total;
}
