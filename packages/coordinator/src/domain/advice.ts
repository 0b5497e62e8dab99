import type { RunErrorCode } from './errors.ts';
import type { RunState } from './run.ts';

/** What a code means, and what to do about it: sentences for whoever looks after the service. */
export type Advice = { readonly problem: string; readonly remedy: string };

const BY_ITSELF = 'Nothing: it is tried again by itself.';
const LATER = 'Look at the ledgers and the log, then resume the run.';

/** For every code of a run; docs/operating/runs.md has the same. */
export const ADVICE: Readonly<Record<RunErrorCode, Advice>> = {
  'ledger-unavailable': {
    problem: 'The base ledger does not answer.',
    remedy: 'Check BASE_RPC_URL and the provider; the run goes on by itself once it answers.',
  },
  'ledger-unsupported': {
    problem: "The base ledger's node does not offer a call that is needed here.",
    remedy: 'Name another node in BASE_RPC_URL: config check tries what it offers; the run goes on by itself then.',
  },
  'layer-unavailable': {
    problem: 'The execution layer does not answer.',
    remedy: 'Check LAYER_RPC_URL and the validator; the run goes on by itself once it answers.',
  },
  'key-service-unavailable': {
    problem: 'The key service does not answer, so nothing can be signed or decrypted.',
    remedy: 'Check VAULT_ADDR and its token; the run goes on by itself once it answers.',
  },
  'database-unavailable': {
    problem: 'The database did not answer.',
    remedy: 'Check DATABASE_URL and the server; the run goes on by itself once it answers.',
  },
  'batch-not-visible': {
    problem: "The execution layer does not show the window's batch yet, or not any more pages of balances that it had.",
    remedy: `${BY_ITSELF} If it stays so, look at the validator: it does not take over what is delegated to it.`,
  },
  'batch-not-back': {
    problem: 'The batch has not come back from the execution layer yet.',
    remedy: `${BY_ITSELF} If it stays so, look at the validator: it does not commit to the base ledger.`,
  },
  'not-due': { problem: "The window is not due yet by the base ledger's clock.", remedy: BY_ITSELF },
  'batch-not-complete': {
    problem: 'The batch timeout has not passed by the clock of the ledger that was asked.',
    remedy: BY_ITSELF,
  },
  'liabilities-stale': { problem: 'Another recording of the liabilities tree came first.', remedy: BY_ITSELF },
  'transaction-refused': {
    problem: 'A ledger refused a transaction; the detail has its reason.',
    remedy: LATER,
  },
  'transaction-expired': {
    problem: 'A transaction did not reach a block in time; it can not land any more.',
    remedy: 'Check the provider of the base ledger and its fees, then resume the run.',
  },
  'claims-refused': {
    problem: 'The execution layer refused claims that should have been taken.',
    remedy: LATER,
  },
  'liabilities-mismatch': {
    problem: 'The liabilities tree does not add up to what the pool holds, even when all of it is read anew.',
    remedy: 'Find out which number is wrong before you resume the run: nothing of this token is settled until then.',
  },
  'internal-error': {
    problem: 'Something unexpected went wrong in the service; the log has its kind and place.',
    remedy: 'Look at the log line of the run, and report it; then resume the run.',
  },
  'funding-short': {
    problem: "The vault's reserve does not cover the window.",
    remedy: 'Have the employer deposit and fund the schedule; the run goes on by itself.',
  },
  'authority-balance-low': {
    problem: 'The execution authority has too little SOL for this opening.',
    remedy: 'Send it SOL; the run goes on by itself.',
  },
  'authority-mismatch': {
    problem: "The key of this service is not the execution authority of the program's config.",
    remedy: 'Set EXECUTION_AUTHORITY_KEY to the right key, or have governance name this one.',
  },
  'schedule-paused': {
    problem: 'The employer has paused the schedule.',
    remedy: 'Nothing: the run goes on once the employer resumes the schedule.',
  },
  'list-missing': {
    problem: "The list of the schedule's current root is not registered here.",
    remedy: 'Have the employer register it; the run goes on by itself.',
  },
  'places-taken': {
    problem: 'Other balances are where the database says that these are: an older backup was restored, or it was lost.',
    remedy: 'Nothing: the places are given anew from what the layer shows.',
  },
  'list-unreadable': {
    problem: "The list can't be decrypted with the payload keys that are set.",
    remedy: 'Set PAYLOAD_KEY or PAYLOAD_KEYS_RETIRED to the key that it names.',
  },
  'liabilities-unreadable': {
    problem: "The liabilities tree can't be decrypted with the payload keys that are set.",
    remedy: 'Set PAYLOAD_KEY or PAYLOAD_KEYS_RETIRED to the key that it names.',
  },
  'layer-state-lost': {
    problem: 'The execution layer shows less than it has shown before.',
    remedy: "Restore the validator's storage, or take the way out for a lost layer.",
  },
  'layer-untrusted': {
    problem: 'The execution layer does not show that it is what the settings trust; the detail says in what it fails.',
    remedy:
      'Find out why before you change LAYER_MEASUREMENTS: no window opens meanwhile, and the run goes on by itself once it does.',
  },
  'layer-sign-in-refused': {
    problem: 'The execution layer does not let the execution authority sign in.',
    remedy: 'Have its operator admit the execution authority; the run goes on by itself then.',
  },
  'layer-full': {
    problem: 'The execution layer has no room for the balances of everybody in the list.',
    remedy:
      'Have a validator that has room for more balances, and set LAYER_BALANCES to as many: the run goes on by itself then. Nobody of the window is paid before.',
  },
  'token-stopped': {
    problem:
      "The token's issuer keeps it from moving: by a fee, a program of theirs, a stop of all transfers, or a frozen account.",
    remedy:
      "Ask the issuer, or have the employer do so if it is their vault's account: the run goes on by itself once they let it through. All that the window holds stays where it is.",
  },
  'validator-mismatch': {
    problem: "The token's pool belongs to another validator than the execution layer that this service uses.",
    remedy:
      'Set LAYER_RPC_URL to the layer of the validator that the detail names, and nothing else: the run goes on by itself then.',
  },
  'layer-lost': {
    problem: 'Governance and guardian have declared the execution layer lost.',
    remedy: 'Take the way out for a lost layer: nothing is opened or settled any more.',
  },
  'schedule-missing': {
    problem: 'The schedule, its batch, vault or pool is not on the base ledger.',
    remedy:
      'Check that BASE_RPC_URL is the right ledger and not behind: then the run goes on by itself. A closed schedule has no windows left: abandon the run.',
  },
  'window-mismatch': {
    problem: 'The base ledger is at an earlier window than this run.',
    remedy: 'Check that BASE_RPC_URL is the right ledger, and that it is not behind; then resume the run.',
  },
  'batch-out-of-bounds': {
    problem: 'The batch that came back claims more than its window may pay.',
    remedy: 'Keep what the execution layer shows, and find out what happened there before you resume anything.',
  },
  'money-rule-broken': {
    problem: "The ledgers' numbers break a money rule; the detail has them.",
    remedy: 'Find out why before you resume the run: nothing more is sent for this window.',
  },
};

/** States in which a run goes on only when somebody resumes it. */
const STOPPED: readonly RunState[] = ['exhausted', 'failed', 'abandoned'];

/** What to do about a run's code as it was recorded; undefined for none, and for one that this version does not know. */
export function adviceFor(code: string | null, state: RunState): Advice | undefined {
  if (code === null || !Object.hasOwn(ADVICE, code)) return undefined;
  const { problem, remedy } = ADVICE[code as RunErrorCode];
  return { problem, remedy: STOPPED.includes(state) ? thenResumed(remedy) : remedy };
}

/** The same for a run that does not go on by itself. */
function thenResumed(remedy: string): string {
  const said = remedy
    .replace(BY_ITSELF, 'Resume the run.')
    .replace(/(?:;|, and|: then) the run goes on by itself[^.]*\./, '; then resume the run.');
  return /resume the run|resume anything|abandon the run/i.test(said) ? said : `${said} Then resume the run.`;
}
