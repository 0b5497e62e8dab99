import { slotsOf } from '@payouts/cli';
import {
  addressFromBytes,
  BALANCE_PAGE_KIND,
  findBatchAddress,
  getClaimPaymentInstructionDataDecoder,
  getPersonalDecoder,
  identifyPayoutLedgerInstruction,
  PAYOUT_LEDGER_PROGRAM_ADDRESS,
  PayoutLedgerInstruction,
  PERSONAL_KIND,
} from '@payouts/client';
import {
  type Address,
  decompileTransactionMessage,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  type Instruction,
} from '@solana/kit';
import type { Claim, Outcome } from '../claim.ts';
import type { Evidence } from '../evidence.ts';
import { ownersOf } from '../owners.ts';
import { listsOf } from '../sight.ts';

/** Where a page has its token. */
const MINT_AT = 8;
const ADDRESS_BYTES = 32;

/**
 * What the layer shows a stranger: owners and amounts in pages, what people have asked, and claims, which say by which employer; owners are
 * opened by every salt that could be guessed. What somebody is paid, without whom, is seen without that.
 */
export async function layer(evidence: Evidence): Promise<Outcome> {
  const { byOwner } = ownersOf(evidence);
  const batches = new Map<string, string>();
  for (const { schedule } of listsOf(evidence)) batches.set(await findBatchAddress(schedule as Address), schedule);
  const claims: Claim[] = [];
  const certain = { isCertain: true } as const;
  const looked = { pages: 0, personal: 0, entries: 0 };
  for (const line of evidence.layer) {
    if (line.kind === 'account') {
      const bytes = Buffer.from(line.data, 'base64');
      if (line.program !== PAYOUT_LEDGER_PROGRAM_ADDRESS) continue;
      if (bytes[0] === BALANCE_PAGE_KIND) {
        looked.pages += 1;
        const mint = addressFromBytes(bytes.subarray(MINT_AT, MINT_AT + ADDRESS_BYTES));
        for (const { slot, owner, amount } of slotsOf(bytes)) {
          const subject = byOwner.get(owner)?.recipient;
          if (subject === undefined) continue;
          claims.push({ kind: 'is-paid', subject, object: '', ...certain });
          claims.push({ kind: 'place', subject, object: `${line.address} ${slot}`, ...certain });
          // What it holds in the end is what counts.
          claims.unshift({ kind: 'holds', subject, object: mint, amount: String(amount), ...certain });
        }
      }
      if (bytes[0] === PERSONAL_KIND) {
        looked.personal += 1;
        const { recipient: subject, withdrawals } = getPersonalDecoder().decode(bytes);
        claims.push({ kind: 'is-paid', subject, object: '', ...certain });
        for (const { amount, wallet: object } of withdrawals) {
          if (amount !== 0n) claims.push({ kind: 'owns-wallet', subject, object, amount: String(amount), ...certain });
        }
      }
    }
    if (line.kind !== 'transaction') continue;
    for (const { batch, owner, amount } of entriesIn(line.transaction)) {
      looked.entries += 1;
      const object = batches.get(batch);
      const subject = byOwner.get(owner)?.recipient;
      if (subject === undefined) claims.push({ kind: 'wage', subject: '', object: '', amount, ...certain });
      else if (object !== undefined) claims.push({ kind: 'paid-by', subject, object, amount, ...certain });
    }
  }
  return {
    looked: `${looked.pages} pages, ${looked.personal} personal accounts, ${looked.entries} claimed leaves`,
    claims,
  };
}

/** The leaves that a transaction claims, and of which batch. */
function entriesIn(transaction: string) {
  const { messageBytes } = getTransactionDecoder().decode(Buffer.from(transaction, 'base64'));
  const message = decompileTransactionMessage(getCompiledTransactionMessageDecoder().decode(messageBytes));
  return (message.instructions as readonly Instruction[]).flatMap(({ programAddress, accounts = [], data }) => {
    if (programAddress !== PAYOUT_LEDGER_PROGRAM_ADDRESS || data === undefined) return [];
    if (identifyPayoutLedgerInstruction(data) !== PayoutLedgerInstruction.ClaimPayment) return [];
    const batch = String(accounts[2]?.address);
    return getClaimPaymentInstructionDataDecoder()
      .decode(data)
      .entries.map(({ owner, amount }) => ({
        batch,
        owner: addressFromBytes(Uint8Array.from(owner)),
        amount: String(amount),
      }));
  });
}
