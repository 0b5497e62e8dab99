import {
  ClientError,
  type DueBalance,
  dueBalances,
  fetchTokenInfo,
  type LayerLoss,
  type ProofFile,
  type ProvenBalance,
  proofFileFromJson,
  type RedeemFault,
  readLayerLoss,
  redeemTransactions,
  redemptionCost,
  type TokenInfo,
} from '@payouts/client';
import type { PageBase } from '@payouts/pages/ledgers';
import { type Address, createNoopSigner, type Instruction } from '@solana/kit';

/** What a proof file and the ledger say together. */
export type Owed = {
  readonly loss: LayerLoss;
  readonly recipient: Address;
  readonly parts: readonly DueBalance[];
  /** Why other balances of the file give nothing. */
  readonly faults: readonly RedeemFault[];
  readonly tokens: ReadonlyMap<Address, TokenInfo>;
};

/** Reads a proof file. Throws `ClientError`. */
export async function readProofFile(file: File): Promise<readonly ProvenBalance[]> {
  const { balances, proofs } = await parsed(file);
  if (balances.length > 0) return balances;
  throw new ClientError(
    'INVALID_LEAF',
    proofs.length === 0
      ? 'This proof file is empty.'
      : 'This is an operator’s proof file, without your secret. The command payout redeem FILE --salt HEX takes it; your payslips have the salt.',
  );
}

async function parsed(file: File): Promise<ProofFile> {
  try {
    return proofFileFromJson(JSON.parse(await file.text()));
  } catch (cause) {
    const message = 'This is no proof file. Choose the one that you saved from your pay’s page.';
    throw new ClientError('INVALID_LEAF', message, { cause });
  }
}

/** Looks on the ledger for what is due by a proof file. */
export async function look(ledgers: PageBase, balances: readonly ProvenBalance[]): Promise<Owed> {
  const [first] = balances;
  if (first === undefined) throw new ClientError('INVALID_LEAF', 'This proof file is empty.');
  const due = await dueBalances(ledgers, balances);
  const tokens = new Map<Address, TokenInfo>();
  for (const mint of new Set(balances.flatMap(({ proofs }) => proofs.map((proof) => proof.mint)))) {
    const token = await fetchTokenInfo(ledgers, mint);
    if (token !== undefined) tokens.set(mint, token);
  }
  return { loss: await readLayerLoss(ledgers), recipient: first.recipient, ...due, tokens };
}

/** Base units that are due, by token. */
export function totals({ parts, tokens }: Owed): readonly { readonly token: TokenInfo; readonly amount: bigint }[] {
  const dues = parts.flatMap((part) => part.dues);
  return [...tokens.values()].flatMap((token) => {
    const amount = dues.reduce((sum, due) => (due.mint === token.mint ? sum + due.amount : sum), 0n);
    return amount === 0n ? [] : [{ token, amount }];
  });
}

/** The transactions that take everything out, to one wallet, and the lamports that they take. Whoever signs is named by address. */
export async function redeemAll(
  ledgers: PageBase,
  { recipient, parts, tokens }: Owed,
  { payer, wallet }: { readonly payer: Address; readonly wallet: Address },
): Promise<{ readonly transactions: readonly (readonly Instruction[])[]; readonly cost: bigint }> {
  const programOf = new Map([...tokens].map(([mint, { program }]) => [mint, program]));
  const signers = { recipient: createNoopSigner(recipient), payer: createNoopSigner(payer) };
  const transactions = await redeemTransactions(parts, { ...signers, wallet, programOf });
  return { transactions, cost: await redemptionCost(ledgers, parts, transactions, { payer, wallet, programOf }) };
}
