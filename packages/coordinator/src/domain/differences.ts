/**
 * What may differ between the database and the two ledgers: what it is, and what to do about what remains. `heals`: the base ledger alone
 * says how it is to be, so the database is brought to that. Texts are for operators; each kind has a section in
 * docs/operating/reconciliation.md.
 */
export const DIFFERENCE_KINDS = {
  'run-missing': {
    heals: true,
    is: 'A window was settled, and the database has no run of it.',
    remedy: "The ledger's node does not tell of it any more: ask one that keeps all history, or accept the gap.",
  },
  'open-without-run': {
    heals: true,
    is: 'A window is open on the base ledger, and no run pays it.',
    remedy: 'Its run is created; if that fails, look at the log.',
  },
  'run-not-ended': {
    heals: true,
    is: 'A run stands still, and its window is over on the base ledger.',
    remedy: 'It ends as the ledger says; if that fails, look at the log.',
  },
  'run-differs': {
    heals: true,
    is: 'A run ended otherwise than the base ledger says.',
    remedy: "The ledger's node does not tell of it any more: ask one that keeps all history, or accept the gap.",
  },
  'not-in-engine': {
    heals: false,
    is: 'A run is recorded as in line or at work, and the engine is not at it.',
    remedy: 'A running coordinator puts it in line again within half a minute: start one, or look at its log.',
  },
  'run-ended-early': {
    heals: false,
    is: 'A run is recorded as over, and its window is not over on the base ledger.',
    remedy: 'Another ledger or another database than the one that paid it: check BASE_RPC_URL and DATABASE_URL.',
  },
  'list-missing': {
    heals: false,
    is: 'A schedule has windows to come, and no list is registered for its root.',
    remedy: 'Have the employer register the list before the next window is due.',
  },
  'open-unregistered': {
    heals: false,
    is: 'A window is open on the base ledger, and its schedule is not registered here.',
    remedy: 'Have its employer register the list now: whoever is unpaid at its batch timeout stays unpaid.',
  },
  'schedule-gone': {
    heals: true,
    is: 'A schedule is not on the base ledger, and a run of it is not over.',
    remedy: 'Check BASE_RPC_URL. If it was closed, ask a node that keeps all history, or abandon the run.',
  },
  'batch-not-in-layer': {
    heals: false,
    is: "An open window's batch is not open in the execution layer.",
    remedy: 'If it lasts, the layer has lost it or does not return it: see PayoutWindowOverdue.',
  },
  'batch-left-in-layer': {
    heals: false,
    is: 'The execution layer has a batch open whose window is over on the base ledger.',
    remedy: 'The layer was restored from an old copy, or LAYER_RPC_URL names another one: stop, and look.',
  },
  'money-rule': {
    heals: false,
    is: "A vault's or a pool's tokens do not cover its counters.",
    remedy: 'Stop the coordinators and find out why before anything more is paid.',
  },
  'liabilities-missing': {
    heals: false,
    is: 'The liabilities tree that the base ledger has recorded is not in the database.',
    remedy: 'Restore the database that has it; if there is none, the next settlement rebuilds it.',
  },
} as const satisfies Record<string, { readonly heals: boolean; readonly is: string; readonly remedy: string }>;

export type DifferenceKind = keyof typeof DIFFERENCE_KINDS;

export const KINDS = Object.keys(DIFFERENCE_KINDS) as readonly DifferenceKind[];
