export * from './accounts/addresses.ts';
export * from './accounts/base58.ts';
export * from './accounts/curve.ts';
export * from './accounts/errors.ts';
export * from './accounts/events.ts';
export * from './accounts/ledgerAccounts.ts';
export * from './accounts/ledgerClock.ts';
export * from './accounts/programs.ts';
export * from './accounts/signaturesFor.ts';
export * from './accounts/tokenInfo.ts';
export * from './accounts/tokenPowers.ts';
export * from './accounts/tokenSymbol.ts';
export { isSameBytes } from './bytes.ts';
export * from './exits/crowd.ts';
export * from './exits/freshWallets.ts';
export * from './exits/order.ts';
export * from './exits/paidWallets.ts';
export * from './exits/plan.ts';
export * from './exits/relayedTransfer.ts';
export * from './exits/rounds.ts';
export * from './exits/size.ts';
export * from './exits/steady.ts';
export * from './generated/index.ts';
export * from './http/apiFailed.ts';
export * from './http/authorisation.ts';
export * from './http/base64.ts';
export * from './http/clientError.ts';
export * from './http/delegation.ts';
export * from './http/httpSignature.ts';
export * from './http/invitations.ts';
export { JsonFields } from './http/jsonFields.ts';
export * from './http/listJson.ts';
export * from './http/notices.ts';
export * from './http/recipientClient.ts';
export * from './http/recipientErrors.ts';
export type {
  HistoryItem,
  PastTransfer,
  PastWithdrawal,
  ReceivedPayment,
  RecipientHistory,
} from './http/recipientHistory.ts';
export * from './http/repeated.ts';
export * from './http/sealedText.ts';
export * from './http/webhook.ts';
export * from './merkle/bitmap.ts';
export { HASH_BYTES, sha256Into } from './merkle/hash.ts';
export * from './merkle/liabilities.ts';
export * from './merkle/limits.ts';
export * from './merkle/list.ts';
export * from './merkle/owner.ts';
export * from './merkle/personal.ts';
export * from './merkle/salt.ts';
export * from './merkle/tree.ts';
export * from './merkle/withdrawals.ts';
export * from './nextTurn.ts';
export * from './receipts/conversion.ts';
export { type CurrencyNote, convertedFromJson, noted, noteFaults } from './receipts/currencyNote.ts';
export * from './receipts/liabilityProof.ts';
export * from './receipts/payslip.ts';
export * from './receipts/settledWindow.ts';
export * from './receipts/totals.ts';
export * from './receipts/transferReceipt.ts';
export * from './receipts/window.ts';
export * from './recipients/addressProof.ts';
export * from './recipients/invitation.ts';
export * from './recipients/paymentCode.ts';
export * from './recipients/proofFile.ts';
export * from './recipients/redeeming.ts';
export * from './recipients/roundAdvice.ts';
export * from './recipients/roundPlan.ts';
export * from './recipients/tokens.ts';
export * from './recipients/withdrawalAdvice.ts';
export * from './recipients/withdrawalPlan.ts';
export * from './recipients/withdrawalSteps.ts';
export * from './rules/approval.ts';
export * from './rules/calendar.ts';
export * from './rules/moneyRules.ts';
export * from './rules/recovery.ts';
export * from './rules/releaseTimes.ts';
export * from './shortCode.ts';
export * from './time.ts';
export * from './transactions/balancePages.ts';
export * from './transactions/bitmapTransaction.ts';
export { buildOwnTransaction } from './transactions/buildOwnTransaction.ts';
export {
  buildTransaction,
  type Lifetime,
  type SignedTransaction,
  type TransactionInput,
} from './transactions/buildTransaction.ts';
export * from './transactions/claimPlan.ts';
export * from './transactions/claimTransaction.ts';
export * from './transactions/connection.ts';
export * from './transactions/feeBid.ts';
export * from './transactions/follow.ts';
export * from './transactions/instructions.ts';
export * from './transactions/keptTransactions.ts';
export * from './transactions/layerSession.ts';
export * from './transactions/layerTransaction.ts';
export * from './transactions/makePersonal.ts';
export * from './transactions/merging.ts';
export * from './transactions/nodePool.ts';
export { patientTransport, troubleOfCode } from './transactions/patientTransport.ts';
export * from './transactions/permissions.ts';
export * from './transactions/personalTransaction.ts';
export * from './transactions/send.ts';
export * from './transactions/sendingOptions.ts';
export * from './transactions/showBalance.ts';
export * from './transactions/slotHorizon.ts';
export { TransactionFailed } from './transactions/transactionFailed.ts';
