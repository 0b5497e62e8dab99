/**
 * What words on a page stand for when its blocks are run: shell expressions, so that they may ask for what a block before has made. The
 * stage defines the functions (stage.ts). All pages share the first table; a page may have some of its own.
 */
type Words = readonly (readonly [RegExp, string])[];

const EVERYWHERE: Words = [
  // Addresses of the parts, as npm start and the service have them by default.
  [/http:\/\/127\.0\.0\.1:8899/g, '$STAGE_BASE'],
  [/http:\/\/127\.0\.0\.1:7799/g, '$STAGE_LAYER'],
  [/http:\/\/127\.0\.0\.1:3000/g, '$PAYOUT_API'],
  [/postgres:\/\/payouts@127\.0\.0\.1:5432\/payouts/g, '$OTHER_DATABASE'],
  [/redis:\/\/127\.0\.0\.1:6379/g, '$RATE_LIMIT_STORE'],
  [/--rpc URL\b/g, '--rpc $STAGE_BASE'],
  // One of the stage's lists is missing, and stays so.
  [/coordinator -- (reconcile\b[^\n#]*)$/gm, 'coordinator -- $1 || [ $? -eq 3 ]'],
  // What an employer or a recipient has.
  [/\bMINT\b/g, '$STAGE_MINT'],
  [/\bSCHEDULE:WINDOW\b/g, '$STAGE_HELD:0'],
  [/\bSCHEDULE\b/g, '$STAGE_SCHEDULE'],
  [/\bWINDOW\b/g, '0'],
  [/\bWALLET\b/g, '$STAGE_WALLET'],
  [/\bAUDITOR\b/g, '$STAGE_AUDITOR'],
  [/\bFOLDER\b/g, '"$(new-folder)"'],
  [/\bFILE\b/g, '"$(a-payslip)"'],
  // Examples of addresses and of days to come.
  [/\bCVmJnkFybjWoXgyCtckCuiqE3T7CS6TiidGrVNMgzsrt\b/g, '$STAGE_SCHEDULE'],
  [/\b2027-\d\d-\d\d\b/g, '"$(in-two-months)"'],
];

const OF_PAGE: Readonly<Record<string, Words>> = {
  // Has ledgers and a coordinator of its own; the command itself is already there.
  'docs/tutorials/first-payout.md': [
    [/npm start -- /g, 'npm start -- --port $FREE_PORT_API --base-port $FREE_PORT_BASE --layer-port $FREE_PORT_LAYER '],
    [
      /export PAYOUT_API=.*/g,
      'export PAYOUT_API=http://127.0.0.1:$FREE_PORT_API PAYOUT_RPC=http://127.0.0.1:$FREE_PORT_BASE',
    ],
    [/^payout\(\) .*$/gm, ':'],
  ],
  'docs/reference/cli.md': [
    // The page's own schedule is the one that its commands have made last.
    [/(payout schedule (?:update|fund|pause|resume|hold|release|show|register)) SCHEDULE/g, '$1 "$(newest-schedule)"'],
    [
      /payout schedule preview december\.csv --schedule SCHEDULE/g,
      'payout schedule preview december.csv --schedule "$(newest-schedule)"',
    ],
    [/\bRECIPIENT\b/g, '$STAGE_RECIPIENT'],
    [/payout runs SCHEDULE/g, 'payout runs "$(newest-schedule)"'],
    // A month passes while it watches.
    [/payout watch SCHEDULE --once/g, 'watch-until-due "$(newest-schedule)"'],
    // The page shows one withdrawal under way.
    [/payout withdraw 300 --to 9x/g, 'when-all-is-paid; payout withdraw 300 --to 9x'],
    [/\bID\b/g, '"$(last-grant)"'],
  ],
  'docs/operating/invitations.md': [
    [/\bLINK\b/g, '"$(grep -m1 -o "http.*" links.txt)"'],
    [/\bCODE\b/g, '"$(payout invitations list | grep -m1 -o "code [A-Z0-9-]*" | cut -c6-)"'],
  ],
  'docs/tutorials/audit.md': [[/\bRECIPIENT\b/g, '$STAGE_RECIPIENT']],
  'docs/concepts/receipts.md': [
    [/window-0-00002/g, 'window-0-*'],
    [/\bID\b/g, '"$(last-grant)"'],
    [/--recipient ADDRESS/g, '--recipient $STAGE_RECIPIENT'],
  ],
  'docs/operating/data.md': [
    [/\bADDRESS\b|7Yk…/g, '$STAGE_FINISHED'],
    [/cp -a \.data\/coordinator \/backup\//g, 'mkdir -p .data/coordinator backup; cp -a .data/coordinator backup/'],
    [/postgres:\/\/…\//g, '$STAGE_SERVER/'],
  ],
  // The coordinator has its token already.
  'docs/operating/monitoring.md': [[/openssl rand -hex 32 > metrics\.token/g, ':']],
  'docs/operating/reconciliation.md': [[/https:\/\/…/g, '$STAGE_BASE']],
  'docs/operating/running.md': [
    [/--balance ADDRESS/g, '--balance $STAGE_BALANCE'],
    [
      /npm run coordinator -- liability-proof/g,
      'BASE_RPC_URL=$STAGE_BASE LAYER_RPC_URL=$STAGE_LAYER EXECUTION_AUTHORITY_KEY=$STAGE_AUTHORITY DATABASE_URL=$STAGE_DATABASE PAYLOAD_KEY=$STAGE_KEY npm run coordinator -- liability-proof',
    ],
    [/\.data\/keys\/execution-authority\.json/g, '$STAGE_AUTHORITY'],
    [/PORT=3000/g, 'PORT=0'],
    // Whoever runs the tests may have a coordinator at 3000.
    [/^npm run coordinator$/gm, 'PORT=0 npm run coordinator'],
  ],
  // Addresses that others publish, and what a machine measures.
  'docs/tutorials/devnet-and-tee.md': [
    [/https:\/\/api\.devnet\.solana\.com/g, '$STAGE_BASE'],
    [/wss:\/\/api\.devnet\.solana\.com/g, '$STAGE_BASE_WS'],
    [/--url devnet/g, '--url $STAGE_BASE'],
    [/https:\/\/devnet-tee\.magicblock\.app/g, '$STAGE_GATEWAY'],
    [/MTEWGuqxUpYZGFJQcp8tLN7x5v9BSeoFHYWQQ3n3xzo/g, '$STAGE_VALIDATOR'],
    [/^\[\{ "mrTd": "….*$/gm, '$STAGE_MEASUREMENTS'],
    [/<<'END'/g, '<<END'],
    [/PORT=3000/g, 'PORT=$FREE_PORT_API'],
    // Due once it is watched, however long a busy machine takes until then: the minutes are turned, not waited for.
    [/--date='3 minutes'/g, "--date='1 hour'"],
    [/payout watch (\$PAYROLL) --once/g, 'watch-until-due $1'],
  ],
  'docs/operating/several-coordinators.md': [
    [/\/where\/it\/is\/execution-authority\.json/g, '$STAGE_AUTHORITY'],
    [/https:\/\/…/g, 'https://ledger.example.com'],
  ],
};

/** A page's commands with their words filled in. */
export function filledIn(page: string, code: string): string {
  const words = [...(OF_PAGE[page] ?? []), ...EVERYWHERE];
  return words.reduce((text, [word, value]) => text.replaceAll(word, value), code);
}
