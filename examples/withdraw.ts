// A recipient takes out all that is theirs: npx tsx examples/withdraw.ts KEY.json WALLET
// PAYOUT_API: the coordinator. The key signs here and stays here; the recipient needs no SOL.
import { readFileSync } from 'node:fs';
import { RecipientClient, systemTime } from '@payouts/client';
import { address, createKeyPairSignerFromBytes } from '@solana/kit';

const { PAYOUT_API: apiUrl = 'http://127.0.0.1:3000' } = process.env;
const [keyFile = '', wallet = ''] = process.argv.slice(2);

const signer = await createKeyPairSignerFromBytes(Uint8Array.from(JSON.parse(readFileSync(keyFile, 'utf8'))));
const client = new RecipientClient({ apiUrl, signer, time: systemTime });
for (const balance of (await client.balances()).balances) {
  if (balance.amount === 0n) continue;
  await client.withdraw(balance, { amount: 'all', wallet: address(wallet) });
  console.log(`${balance.amount} base units of ${balance.mint} are on their way to ${wallet}.`);
}
