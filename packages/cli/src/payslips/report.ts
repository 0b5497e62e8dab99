import type { Payslip } from '@payouts/client';
import { currencyText, rateText } from '@payouts/payroll';
import { amountText, dateText, type LedgerLook, type PayslipFile } from '@payouts/statements';

/** What was found out about a payslip's file. `ledger` undefined: nobody asked it. */
export type Verification = PayslipFile & {
  readonly faults: readonly string[];
  readonly ledger: LedgerLook | undefined;
};

/** Whether nothing speaks against a payslip. */
export const isSound = ({ faults, ledger }: Verification): boolean =>
  faults.length === 0 && (ledger === undefined || ledger.faults.length === 0);

/** What a verification says to programs: nothing private but what stands in the file itself. */
export function verificationJson(verification: Verification): Record<string, unknown> {
  const { payslip, page, faults, ledger } = verification;
  const { signature, slot } = payslip.settled.settlement;
  return {
    sound: isSound(verification),
    faults,
    page,
    ledger: ledger === undefined ? null : { faults: ledger.faults, issuerIsAuthority: ledger.isAuthority },
    issuer: payslip.settled.issuer,
    note: payslip.note ?? null,
    window: payslip.settled.window.toString(),
    settlement: { signature, slot: slot === null ? null : slot.toString() },
  };
}

/** What a verification says to people, in lines of some 80 columns. */
export function verificationText(verification: Verification): string {
  const { payslip, faults, page, ledger } = verification;
  const all = [...faults, ...(ledger?.faults ?? [])];
  const lines =
    all.length === 0
      ? [`✓ The payslip is sound${ledger === undefined ? ', verified offline' : ', and the ledger agrees'}.`]
      : ['✖ The payslip is not sound:', ...all.map((fault) => `  - ${fault}`)];
  if (faults.length === 0) lines.push('', ...whatItSays(payslip), '', ...whatWasChecked(payslip, ledger));
  if (page === 'different') {
    lines.push(
      '',
      '! The page of the PDF is not the one that this version makes of the file',
      '  attached to it. Go by what stands here, not by the page.',
    );
  }
  return lines.join('\n');
}

function whatItSays({ leaf, settled, note }: Payslip): string[] {
  const row = (label: string, value: string) => `  ${label.padEnd(11)} ${value}`;
  return [
    row('paid', amountText(leaf.amount, settled)),
    row('', `${leaf.amount} base units, to the ${leaf.delivery === 'wallet' ? 'wallet' : 'private balance'}`),
    ...(note
      ? [
          row('which is', currencyText(note.currency, [note.amount])),
          row('at', rateText(note, settled.symbol ?? 'tokens')),
        ]
      : []),
    row('recipient', leaf.recipient),
    row('vault', settled.vault),
    row('schedule', settled.schedule),
    row('window', `${settled.window}, settled on ${dateText(settled.settledAt)}`),
    row('entry', `${leaf.index} of ${settled.recipients}; ${settled.paidCount} were paid`),
    row('issued by', settled.issuer),
  ];
}

function whatWasChecked({ settled, note }: Payslip, ledger: LedgerLook | undefined): string[] {
  const { signature, slot } = settled.settlement;
  const offline = [
    'Checked without a network: the entry is in the list of that root; the',
    'window paid it, by the bitmap whose hash is signed; it was not held back; the',
    'transaction settles this window, and all of it is signed by the key above.',
    ...(note
      ? [
          'The amount in the currency gives what was paid at that rate; the vault’s',
          'employer has signed both. What the rate was elsewhere, nobody proves here.',
        ]
      : []),
  ];
  if (ledger !== undefined) {
    const authority = ledger.isAuthority
      ? "The key is the program's execution authority."
      : "The key is not the program's execution authority today; it may have been then.";
    return [...offline, 'Checked on the ledger: the settlement is there, with the same numbers.', authority];
  }
  return [
    ...offline,
    'Not checked: that the settlement is on the ledger, and that the key is its',
    'execution authority. It can be looked up at any time (--rpc URL):',
    `  signature ${signature}`,
    `  slot      ${slot ?? 'not known'}`,
  ];
}
