import type { Command } from 'commander';

/**
 * Two or three examples for each command, by its words. Capitals stand for what is the user's own: MINT, SCHEDULE, WALLET, BALANCE, VAULT and
 * MULTISIG for addresses, ID for that of a webhook or a grant.
 */
const EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  balance: ['payout balance', 'payout balance --keypair usb://ledger', 'payout balance --json'],
  history: ['payout history', 'payout history --limit 20'],
  withdraw: [
    'payout withdraw all',
    'payout withdraw all --token USDC --least-crowd 20 --dry-run',
    'payout withdraw 1,250.50 --to WALLET --now',
  ],
  'wallets list': ['payout wallets list', 'payout wallets list --token MINT --rpc http://127.0.0.1:8899'],
  'wallets export': ['payout wallets export 3 --out wallet.json', 'payout wallets export 3 --base58 --print'],
  'wallets send': ['payout wallets send 3 120 --to WALLET', 'payout wallets send 3 all --to WALLET --token USDC'],
  redirect: ['payout redirect --to fresh', 'payout redirect --withdrawal 2 --now'],
  pay: ['payout pay CODE 250', 'payout pay CODE 1,250.50 --token USDC --dry-run'],
  code: ['payout code', 'payout code --token USDC'],
  cancel: ['payout cancel', 'payout cancel --withdrawal 2', 'payout cancel --all --yes'],
  'order show': ['payout order show', 'payout order show --json'],
  'order set': [
    'payout order set --threshold 100 --to WALLET',
    'payout order set --threshold 100 --to WALLET --part 250 --delay 1h..2d',
  ],
  'order rounds': ['payout order rounds', 'payout order rounds --token USDC --dry-run'],
  'order end': ['payout order end', 'payout order end --token USDC --yes'],
  'recovery show': ['payout recovery show', 'payout recovery show --json'],
  'recovery name': ['payout recovery name WALLET', 'payout recovery name WALLET --token USDC'],
  'recovery remove': ['payout recovery remove', 'payout recovery remove --token USDC'],
  'recovery refuse': ['payout recovery refuse', 'payout recovery refuse --yes'],
  'recovery request': ['payout recovery request BALANCE', 'payout recovery request BALANCE --dry-run'],
  'recovery complete': [
    'payout recovery complete BALANCE --to WALLET',
    'payout recovery complete BALANCE --to WALLET --delay 1h..2d',
  ],
  redeem: ['payout redeem proof.json', 'payout redeem proof.json --salt HEX --delivery wallet --to WALLET'],
  reclaim: ['payout reclaim SCHEDULE', 'payout reclaim SCHEDULE --proof proof.json'],
  'vault init': ['payout vault init --token MINT', 'payout vault init --token MINT --keypair usb://ledger'],
  'vault deposit': ['payout vault deposit 500,000 --token MINT', 'payout vault deposit 12.50 --token MINT --dry-run'],
  'vault book-surplus': ['payout vault book-surplus --token MINT', 'payout vault book-surplus --token MINT --yes'],
  'vault withdraw': [
    'payout vault withdraw 1,000 --token MINT',
    'payout vault withdraw all --token MINT --approver-keypair approver.json',
  ],
  'vault close': ['payout vault close --token MINT', 'payout vault close --token MINT --dry-run'],
  'vault show': ['payout vault show --token MINT', 'payout vault show --token MINT --json'],
  'vault approval set': [
    'payout vault approval set --token MINT --approver WALLET --limit 10,000',
    'payout vault approval set --token MINT --approver WALLET --limit 0 --daily-limit 50,000',
  ],
  'vault approval remove': [
    'payout vault approval remove --token MINT',
    'payout vault approval remove --token MINT --dry-run',
  ],
  'vault approval confirm': [
    'payout vault approval confirm --vault VAULT',
    'payout vault approval confirm --token MINT',
  ],
  'vault approval show': ['payout vault approval show --token MINT', 'payout vault approval show --vault VAULT'],
  'treasury list': ['payout treasury list --treasury MULTISIG', 'payout treasury list --treasury MULTISIG --json'],
  'treasury show': [
    'payout treasury show 4 --treasury MULTISIG',
    'payout treasury show 4 --treasury MULTISIG --list proposal.json',
  ],
  'treasury approve': [
    'payout treasury approve 4 --treasury MULTISIG --list proposal.json',
    'payout treasury approve 4 --treasury MULTISIG --keypair usb://ledger',
  ],
  'treasury reject': [
    'payout treasury reject 4 --treasury MULTISIG',
    'payout treasury reject 4 --treasury MULTISIG --dry-run',
  ],
  'treasury execute': [
    'payout treasury execute 4 --treasury MULTISIG',
    'payout treasury execute 4 --treasury MULTISIG --yes',
  ],
  'roles list': ['payout roles list', 'payout roles list --treasury MULTISIG'],
  'roles set': ['payout roles set WALLET viewer', 'payout roles set WALLET clerk --treasury MULTISIG'],
  'roles remove': ['payout roles remove WALLET', 'payout roles remove WALLET --treasury MULTISIG'],
  'roles history': ['payout roles history', 'payout roles history --treasury MULTISIG --json'],
  'schedule preview': [
    'payout schedule preview november.csv --token MINT',
    'payout schedule preview november.csv --schedule SCHEDULE',
  ],
  'schedule create': [
    'payout schedule create november.csv --token MINT --every 1mo --on last --executions 12',
    'payout schedule create weekly.csv --token MINT --every 1w --first 2027-01-08T09:00Z --executions 4',
    'payout schedule create euros.csv --rate EUR=1.0834 --executions 6',
  ],
  'schedule update': [
    'payout schedule update SCHEDULE december.csv',
    'payout schedule update SCHEDULE december.csv --dry-run',
  ],
  'schedule fund': [
    'payout schedule fund SCHEDULE --executions 12',
    'payout schedule fund SCHEDULE --executions 1 --yes',
  ],
  'schedule pause': ['payout schedule pause SCHEDULE', 'payout schedule pause SCHEDULE --yes'],
  'schedule resume': ['payout schedule resume SCHEDULE', 'payout schedule resume SCHEDULE --yes'],
  'schedule cancel': ['payout schedule cancel SCHEDULE', 'payout schedule cancel SCHEDULE --dry-run'],
  'schedule hold': ['payout schedule hold SCHEDULE WALLET', 'payout schedule hold SCHEDULE WALLET --yes'],
  'schedule release': ['payout schedule release SCHEDULE WALLET', 'payout schedule release SCHEDULE WALLET --yes'],
  'schedule close': ['payout schedule close SCHEDULE', 'payout schedule close SCHEDULE --yes'],
  'schedule approve': [
    'payout schedule approve SCHEDULE --list proposal.json',
    'payout schedule approve SCHEDULE --without-list',
  ],
  'schedule reject': ['payout schedule reject SCHEDULE', 'payout schedule reject SCHEDULE --yes'],
  'schedule show': ['payout schedule show SCHEDULE', 'payout schedule show SCHEDULE --json'],
  'schedule list': ['payout schedule list --token MINT', 'payout schedule list --json'],
  'schedule register': ['payout schedule register SCHEDULE', 'payout schedule register SCHEDULE --list list.json'],
  'schedule pay-once': [
    'payout schedule pay-once bonus.csv --token MINT',
    'payout schedule pay-once bonus.csv --token MINT --dry-run',
  ],
  'schedule pay-unpaid': ['payout schedule pay-unpaid SCHEDULE 3', 'payout schedule pay-unpaid SCHEDULE 3 --dry-run'],
  'bank pain001': [
    'payout bank pain001 november.csv --token MINT --company Example --out november.xml',
    'payout bank pain001 november.csv --token MINT --currency USD --day 2026-11-30 --out november.xml',
  ],
  'bank pain002': [
    'payout bank pain002 SCHEDULE 3 --payments november.xml --out status.xml',
    'payout bank pain002 SCHEDULE 3 --payments november.xml --currency USD --out status.xml',
  ],
  'bank camt054': [
    'payout bank camt054 SCHEDULE 3 --payments november.xml --out paid.xml',
    'payout bank camt054 SCHEDULE 3 --names november.csv --out paid.xml',
  ],
  'bank camt053': [
    'payout bank camt053 --token MINT --month 2026-11 --out account.xml',
    'payout bank camt053 --token MINT --month 2026-11 --company Example --currency USD --out account.xml',
  ],
  'bank journal': [
    'payout bank journal --token MINT --month 2026-11 --for quickbooks --debit Wages --credit Payouts --out journal.csv',
    'payout bank journal --token MINT --month 2026-11 --for xero --debit 477 --credit 610 --tax-rate Exempt --out journal.csv',
  ],
  'bank statement': [
    'payout bank statement --token MINT --month 2026-11 --out FOLDER',
    'payout bank statement --token MINT --month 2026-11 --names november.csv --out FOLDER',
  ],
  'invitations send': [
    "payout invitations send Ada Ben --token MINT --from 'Example Ltd'",
    'payout invitations send Ada --token MINT --expires 3d --dry-run',
  ],
  'invitations list': ['payout invitations list', 'payout invitations list --json'],
  'invitations take': [
    'payout invitations take Ada --into november.csv --check CODE',
    'payout invitations take WALLET --into november.csv --dry-run',
  ],
  'invitations withdraw': ['payout invitations withdraw Ada', 'payout invitations withdraw WALLET --yes'],
  accept: ['payout accept LINK', 'payout accept LINK --dry-run'],
  'change-address': [
    'payout change-address --schedule SCHEDULE --new-keypair new.json',
    'payout change-address --schedule SCHEDULE --new-keypair prompt: --dry-run',
  ],
  runs: ['payout runs SCHEDULE', 'payout runs SCHEDULE --limit 3 --json'],
  watch: ['payout watch SCHEDULE', 'payout watch SCHEDULE --window 3', 'payout watch SCHEDULE --once --json'],
  'receipt verify': ['payout receipt verify payslip.pdf', 'payout receipt verify slips/*.json --authority WALLET'],
  'receipt fetch': [
    'payout receipt fetch SCHEDULE 3 --out payslips',
    'payout receipt fetch SCHEDULE 3 --out payslips --no-pdf',
  ],
  'receipt statement': [
    'payout receipt statement 2026-11 --out FOLDER',
    'payout receipt statement 2026-11 --out FOLDER --json',
  ],
  'receipt transfers': [
    'payout receipt transfers --out transfers',
    'payout receipt transfers --out transfers --keypair me.json',
  ],
  'receipt export': [
    'payout receipt export SCHEDULE 3 --out november',
    'payout receipt export SCHEDULE 3 --out november --no-pdf',
  ],
  'audit grant': [
    'payout audit grant SCHEDULE WALLET --until 2027-03-31',
    'payout audit grant SCHEDULE WALLET --until 2027-03-31 --recipient WALLET',
  ],
  'audit revoke': ['payout audit revoke SCHEDULE ID', 'payout audit revoke SCHEDULE ID --yes'],
  'audit list': ['payout audit list SCHEDULE', 'payout audit list SCHEDULE --json'],
  'audit totals': ['payout audit totals', 'payout audit totals SCHEDULE --from 0 --to 11 --out FOLDER'],
  'audit recipients': ['payout audit recipients', 'payout audit recipients SCHEDULE --out FOLDER'],
  'audit verify': [
    'payout audit verify FOLDER/statement.json',
    'payout audit verify FOLDER/statement.pdf --rpc http://127.0.0.1:8899',
  ],
  'sign-in': ['payout sign-in CODE', 'payout sign-in CODE --api https://payouts.example.com'],
  'webhook add': [
    'payout webhook add SCHEDULE https://payroll.example.com/hooks',
    'payout webhook add SCHEDULE https://payroll.example.com/hooks --vault --type funding.low --type window.late',
  ],
  'webhook list': ['payout webhook list SCHEDULE', 'payout webhook list SCHEDULE --json'],
  'webhook remove': ['payout webhook remove SCHEDULE ID', 'payout webhook remove SCHEDULE ID --yes'],
  'webhook rotate': ['payout webhook rotate SCHEDULE ID', 'payout webhook rotate SCHEDULE ID --yes'],
  'webhook test': ['payout webhook test SCHEDULE ID', 'payout webhook test SCHEDULE ID --json'],
  'webhook deliveries': ['payout webhook deliveries SCHEDULE ID', 'payout webhook deliveries SCHEDULE ID --json'],
  'webhook replay': [
    'payout webhook replay SCHEDULE ID --within 3d',
    'payout webhook replay SCHEDULE ID --message msg_ID',
  ],
  'notices add': [
    'payout notices add ada@example.com',
    'payout notices add finance@example.com --schedule SCHEDULE --vault --type run.held --type funding.low',
    'payout notices add https://hooks.slack.com/services/… --schedule SCHEDULE --details amounts',
  ],
  'notices confirm': ['payout notices confirm ID CODE', 'payout notices confirm ID CODE --json'],
  'notices list': ['payout notices list', 'payout notices list --json'],
  'notices remove': ['payout notices remove ID', 'payout notices remove ID --yes'],
  operator: ['payout operator runs list --state exhausted', 'payout operator config check'],
  'governance init': [
    'payout governance init --execution-authority WALLET --validator WALLET --guardian WALLET',
    'payout governance init --execution-authority WALLET --validator WALLET --guardian WALLET --employers listed',
  ],
  'governance show': ['payout governance show', 'payout governance show --json'],
  'governance update': [
    'payout governance update --max-recipients 80000',
    'payout governance update --employers any --window-fee 0.001',
  ],
  'governance hand-over': ['payout governance hand-over WALLET', 'payout governance hand-over nobody'],
  'governance accept': ['payout governance accept', 'payout governance accept --keypair new.json'],
  'governance guardian': [
    'payout governance guardian WALLET --guardian-keypair guardian.json',
    'payout governance guardian WALLET --guardian-keypair guardian.json --loss-grace 2d',
  ],
  'governance declare-loss': [
    'payout governance declare-loss --guardian-keypair guardian.json',
    'payout governance declare-loss --guardian-keypair guardian.json --dry-run',
  ],
  'governance declare-loss-alone': [
    'payout governance declare-loss-alone SCHEDULE',
    'payout governance declare-loss-alone SCHEDULE --dry-run',
  ],
  'governance revoke-loss': ['payout governance revoke-loss', 'payout governance revoke-loss --yes'],
  'governance propose-replacement': [
    'payout governance propose-replacement WALLET',
    'payout governance propose-replacement WALLET --dry-run',
  ],
  'governance accept-replacement': [
    'payout governance accept-replacement',
    'payout governance accept-replacement --keypair new.json',
  ],
  'governance refuse-replacement': [
    'payout governance refuse-replacement WALLET',
    'payout governance refuse-replacement WALLET --yes',
  ],
  'governance propose-authority': [
    'payout governance propose-authority WALLET',
    'payout governance propose-authority WALLET --dry-run',
  ],
  'governance accept-authority': [
    'payout governance accept-authority',
    'payout governance accept-authority --keypair new.json',
  ],
  'governance approve-authority': [
    'payout governance approve-authority WALLET',
    'payout governance approve-authority WALLET --keypair guardian.json',
  ],
  'governance refuse-authority': ['payout governance refuse-authority', 'payout governance refuse-authority --yes'],
  'governance suspend': ['payout governance suspend', 'payout governance suspend --dry-run'],
  'governance lift-suspension': [
    'payout governance lift-suspension --guardian-keypair guardian.json',
    'payout governance lift-suspension --guardian-keypair guardian.json --dry-run',
  ],
  'governance whitelist add': ['payout governance whitelist add WALLET', 'payout governance whitelist add MINT'],
  'governance whitelist remove': [
    'payout governance whitelist remove WALLET',
    'payout governance whitelist remove MINT',
  ],
  'governance whitelist show': [
    'payout governance whitelist show WALLET',
    'payout governance whitelist show MINT --json',
  ],
  'governance pool open': [
    'payout governance pool open --token MINT',
    'payout governance pool open --token MINT --dry-run',
  ],
  'governance pool show': [
    'payout governance pool show --token MINT',
    'payout governance pool show --token MINT --json',
  ],
  'governance pool fund': [
    'payout governance pool fund 1 --token MINT',
    'payout governance pool fund 0.5 --token MINT --yes',
  ],
  'governance pool sponsor': [
    'payout governance pool sponsor 5 --token MINT --guardian-keypair guardian.json',
    'payout governance pool sponsor 0 --token MINT --guardian-keypair guardian.json --dry-run',
  ],
  use: [
    'payout use --api https://payouts.example.com --token MINT',
    'payout use --keypair ~/keys/payroll.json',
    'payout use --clear token',
  ],
  help: ['payout help', 'payout help schedule create'],
  completion: ['eval "$(payout completion bash)"', 'payout completion fish > ~/.config/fish/completions/payout.fish'],
};

/** Adds its examples to each command's help. */
export function addExamples(command: Command, words: readonly string[] = []): void {
  const examples = EXAMPLES[words.join(' ')];
  if (examples !== undefined)
    command.addHelpText('after', `\nExamples:\n${examples.map((line) => `  ${line}`).join('\n')}`);
  for (const each of command.commands) addExamples(each, [...words, each.name()]);
}
