import { PROBLEMS, type ProblemCode } from '../domain/problems.ts';

/** What whoever gets an error does about it. */
const REMEDIES: Readonly<Record<ProblemCode, string>> = {
  'malformed-request': 'Send HTTP/1.1 with a well-formed path and headers.',
  'expectation-failed': 'Leave out `Expect`, or send `100-continue`.',
  'invalid-json': 'Send a JSON text in UTF-8.',
  'sealed-unreadable': 'Read `listKey` of `GET /api/deployment` again, and seal the list for it.',
  'invalid-body': '`pointer` names the place; the description of the endpoint says what belongs there.',
  'invalid-address': 'Write the address as base 58 of 32 bytes.',
  'invalid-window': 'Write the number as `GET /api/schedules/:schedulePda/executions` shows it.',
  'invalid-event-id': 'Send the id of the last event as it was received, or none.',
  'invalid-query': '`pointer` names the parameter; a cursor is taken as it was given.',
  'idempotency-key-invalid': 'Use 1 to 255 visible characters, such as a UUID.',
  'signature-missing': '`Accept-Signature` says what to sign.',
  'signature-invalid': 'Sign exactly the request that is sent, with the key that `keyid` names.',
  'signature-expired': 'Sign anew; look at the clock.',
  'signature-replayed': 'Sign each request anew, with a nonce of its own.',
  'delegation-invalid': 'The detail says what is wrong; sign in again with the wallet.',
  'public-origins-unset': 'The operator sets `PUBLIC_ORIGINS`. What is not signed is answered without it.',
  'public-origins-mismatch':
    'Address one of the origins that `PUBLIC_ORIGINS` names, and sign for it; the operator adds those that are missing.',
  'not-permitted':
    "Sign with the employer's key, with the recipient's own, or for the dashboard with one that `OPERATORS` names.",
  'metrics-forbidden': 'Send `Authorization: Bearer` and the token of `METRICS_AUTH_TOKEN`.',
  'not-found': 'Look at the path; `/api/docs` has all of them.',
  'run-not-found': '`GET /api/schedules/:schedulePda/executions` has the windows that were due here.',
  'schedule-not-found': 'Create the schedule on the ledger, or register its list here.',
  'list-not-found': 'The employer registers the list of the current root.',
  'recipient-not-found': 'Look at the address: the list has no such recipient.',
  'grant-not-found': '`GET /api/schedules/:schedulePda/grants` has the ids.',
  'webhook-not-found': '`GET /api/schedules/:schedulePda/webhooks` has the ids.',
  'notice-not-found': '`GET /api/notices` has the ids. What was not confirmed within an hour is gone: add it again.',
  'invitation-not-found':
    'Ask the employer for a new link: it is not known, has expired, or was used or withdrawn. An employer has the ids in `GET /api/invitations`.',
  'address-change-not-found': '`GET /api/address-changes` has the ids; after 90 days a request is gone.',
  'payslip-not-found': '`detail` says why: the window is not settled, or too little is known of it.',
  'method-not-allowed': '`Allow` says what the path takes.',
  'request-timeout': 'Send headers and body without pauses; `REQUEST_TIMEOUT_MS` is the time for both.',
  'list-conflict': 'Send the list that the root on the ledger was built from.',
  'run-not-stopped': 'Nothing: it is at work, or over. `detail` has its state.',
  'list-replaced': 'Begin again without a cursor.',
  'body-too-large': 'Send a smaller list, or have the operator raise `BODY_LIMIT_BYTES`.',
  'unsupported-media-type': 'Send `Content-Type: application/json`, not compressed.',
  'invalid-recipient': 'Fix the entry that `index` names.',
  'count-mismatch': "Send the whole list: `expected` is the ledger's number, `found` the list's.",
  'total-mismatch': 'Send the amounts that the schedule was created with.',
  'mint-mismatch': "Send the list for the schedule's own token.",
  'proof-mismatch': 'Fix the entry that `index` names, or leave out the proofs.',
  'idempotency-key-reused': 'Use another key for another list.',
  'root-replaced': 'Send the list of the current root.',
  'root-mismatch': 'Send every entry as it was when the root was built: recipient, amount, salt, delivery, index.',
  'invalid-transaction':
    "Send one transaction with the recipient's own instructions alone; the detail says what does not fit.",
  'transaction-refused': '`reason` is the program’s error; the detail says what it means.',
  'transaction-expired': 'Ask for the balances again and sign with the blockhash of the answer.',
  'no-room-yet': 'Pages of balances are made with windows; `payout code` succeeds after the next one of the token.',
  'invalid-grant': '`detail` says what to change.',
  'invalid-webhook': '`detail` says what to change.',
  'webhook-disabled': 'Fix the receiver and send it a test: once it answers 2xx, the webhook is enabled again.',
  'invalid-notice': '`detail` says what to change.',
  'invalid-invitation': '`detail` says what to change.',
  'invitation-answered': 'Tell the employer: others have used the link. They withdraw it and send another one.',
  'invalid-address-change': '`detail` says what to change.',
  'mail-off': 'Give the address of a chat, or have the operator set `SMTP_URL`.',
  'wrong-code': 'Send the code of the last e-mail within its hour.',
  'relay-off': 'Send the wallet some SOL, and the transfer to the ledger yourself.',
  'rate-limited': 'Wait for the seconds of `Retry-After`.',
  'concurrency-limited': 'Wait for the seconds of `Retry-After`.',
  'streams-limited': 'Wait for the seconds of `Retry-After`, or close streams that nobody reads.',
  'notices-limited': 'Wait for the seconds of `Retry-After`; a code that was sent still counts.',
  'headers-too-large': 'Send fewer or shorter headers.',
  'service-stopping': 'Send it again to another instance, or after `Retry-After`.',
  'ledger-unavailable': 'Send it again after `Retry-After`; nothing was stored.',
  'layer-unavailable': 'Send it again after `Retry-After`. Money is safe meanwhile.',
  'relay-empty': 'Try again later, or send the wallet some SOL of your own. The operator is told.',
  'transaction-unanswered': 'Send the same bytes again after `Retry-After`: they are executed once.',
  'key-service-unavailable': 'Send it again after `Retry-After`; nothing was stored.',
  'database-unavailable': 'Send it again after `Retry-After`. A registration may be sent again safely.',
  'internal-error': 'Tell the operator the `X-Request-Id` of the answer: the log has it.',
};

/** Every error of the API as a table in Markdown, by status: the content of docs/reference/errors.md. */
export function errorsTable(): string {
  const codes = (Object.keys(PROBLEMS) as ProblemCode[]).sort((a, b) => PROBLEMS[a].status - PROBLEMS[b].status);
  const rows = codes.map((code) => {
    const { status, title } = PROBLEMS[code];
    return `| ${status} | \`${code}\` | ${title} | ${REMEDIES[code]} |`;
  });
  return ['| status | code | | what to do |', '|---|---|---|---|', ...rows].join('\n');
}
