/**
 * Behind `npm run wallet`: a key of one's own on the local ledger that `npm start` runs, with SOL, and if wanted with tokens to pay out.
 * No other ledger gives either away.
 */

import { readOrCreateKey } from '@payouts/cli';
import { connect, systemTime } from '@payouts/client';
import { readAmount } from '@payouts/payroll';
import { generateKeyPairSigner, lamports } from '@solana/kit';
import { Command, InvalidArgumentError } from 'commander';
import { createSampleToken, SAMPLE_DECIMALS } from './sampleToken.ts';

const SOL = lamports(10_000_000_000n);

const amount = (text: string): bigint => {
  const read = readAmount(text, SAMPLE_DECIMALS);
  if (typeof read === 'bigint') return read;
  throw new InvalidArgumentError('It takes an amount of tokens such as 10,000.');
};

const program = new Command('wallet')
  .description('A key with SOL on the local ledger; prints its address, and the mint of a new token if it gets tokens.')
  .argument('<file>', "the key's file; made if it is not there, readable by you alone")
  .option('--tokens <amount>', 'make a token and give it so many', amount)
  .option('--rpc <url>', 'RPC of the local base ledger', process.env.PAYOUT_RPC ?? 'http://127.0.0.1:8899')
  .parse();
const { tokens, rpc } = program.opts<{ tokens?: bigint; rpc: string }>();

try {
  const owner = await readOrCreateKey(program.args[0] as string);
  const ledgers = connect({ baseRpcUrl: rpc, layerRpcUrl: rpc }, systemTime);
  await ledgers.base.requestAirdrop(owner.address, SOL).send();
  console.log(owner.address);
  if (tokens !== undefined) {
    const mint = await generateKeyPairSigner();
    await createSampleToken(ledgers, { payer: owner, mint, holder: owner.address, amount: tokens });
    console.log(mint.address);
  }
} catch (error) {
  console.error(`✖ ${(error as Error).message} Does npm start run, and is ${rpc} its base ledger?`);
  process.exitCode = 1;
}
