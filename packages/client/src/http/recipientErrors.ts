import { type ProgramErrorName, programErrorNamed } from '../accounts/errors.ts';

/** What the program's errors mean to a recipient, and what they can do. */
const SENTENCES: Partial<Record<ProgramErrorName, string>> = {
  TooManyWithdrawals:
    'As many withdrawals of this balance are under way as can be: wait until one is paid, or cancel one that waits.',
  InsufficientBalance: 'The balance holds less than that.',
  ZeroAmount: 'There is nothing to take out: the amount is zero.',
  NoWithdrawalPending: 'No withdrawal of this balance is under way: it may have been paid just now.',
  NotRecoveryWallet: 'You are not the recovery wallet of this balance.',
  RecoveryUnderWay:
    'A recovery of this balance is under way already: complete it when its owner has had fourteen days.',
  NoRecoveryUnderWay: 'No recovery of this balance is under way: it was refused, or nobody has asked for one.',
  RecoveryNotDue:
    'The owner of this balance still has time to refuse: fourteen days from when the recovery was asked for.',
  InvalidWallet: "This wallet can't be named: nothing can be paid to it, or it is your own, which recovers nothing.",
  NotRecipient: 'This balance is not yours.',
  PersonalExists: 'Something was asked of this balance just now: look at it again.',
  NotOwner: 'This balance is not yours.',
  InvalidPaymentCode:
    'Nothing can be paid to this payment code from this balance: it is the code of the balance itself.',
  InvalidReleaseTime: 'The release time is more than 90 days ahead.',
  InvalidData: 'Something asked for is not possible, such as a wallet that is no wallet.',
};

/** A sentence for a recipient about an error of the ledger program. */
export const recipientSentence = (name: ProgramErrorName): string =>
  SENTENCES[name] ?? `${programErrorNamed(name).message}.`;
