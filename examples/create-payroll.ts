// An employer funds their vault and pays people every week: npx tsx examples/create-payroll.ts KEY.json MINT RECIPIENT=BASE_UNITS ...
// PAYOUT_RPC: the base ledger. PAYOUT_API: the coordinator. The vault exists: payout vault init --token MINT.
import { readFileSync, writeFileSync } from 'node:fs';
import {
  connect,
  createScheduleInstructions,
  fetchVault,
  findScheduleAddress,
  findTokenAddress,
  findVaultAddress,
  getDepositInstruction,
  prepareList,
  recipientsToJson,
  sendToBase,
  systemTime,
} from '@payouts/client';
import { address, createKeyPairSignerFromBytes } from '@solana/kit';

const { PAYOUT_RPC: rpc = 'http://127.0.0.1:8899', PAYOUT_API: api = 'http://127.0.0.1:3000' } = process.env;
const [keyFile = '', token = '', ...people] = process.argv.slice(2);
const WINDOWS = 4;

const employer = await createKeyPairSignerFromBytes(Uint8Array.from(JSON.parse(readFileSync(keyFile, 'utf8'))));
const ledgers = connect({ baseRpcUrl: rpc, layerRpcUrl: rpc }, systemTime);
const mint = address(token);
const payees = people.map((person) => person.split('=') as [string, string]);
const list = prepareList(
  payees.map(([recipient, amount]) => ({ recipient: address(recipient), amount: BigInt(amount) })),
);

const vault = await findVaultAddress(employer.address, mint);
const { data } = await fetchVault(ledgers.base, vault);
const schedule = await findScheduleAddress(vault, data.nextId);
// Order and salts are in no other place: without them nobody can be paid. Only the employer may read the file.
const recipients = recipientsToJson(list.recipients);
writeFileSync(`${schedule}.json`, JSON.stringify(recipients), { mode: 0o600 });

const sourceToken = await findTokenAddress(employer.address, mint);
const vaultToken = await findTokenAddress(vault, mint);
const amount = list.total * BigInt(WINDOWS);
const deposit = getDepositInstruction({ depositor: employer, sourceToken, vault, vaultToken, mint, amount });
const create = await createScheduleInstructions({
  employer,
  mint,
  id: data.nextId,
  list,
  calendar: { unit: 'weeks', every: 1 },
  firstExecution: BigInt(Math.floor(Date.now() / 1_000)),
  executions: WINDOWS,
  batchTimeout: 600,
});
await sendToBase(ledgers, [deposit, ...create], employer);

const body = JSON.stringify({ schedulePda: schedule, recipients });
const headers = { 'content-type': 'application/json' };
const response = await fetch(`${api}/api/schedules`, { method: 'POST', headers, body });
if (!response.ok) throw new Error(`The coordinator refused the list: ${await response.text()}`);
console.log(schedule);
