import { manualTime } from '@payouts/testing/manualTime';
import type { Address } from '@solana/kit';
import { Faucet } from '../src/baseLedger/faucet.ts';
import { LocalLedger, SLOT_MILLISECONDS } from '../src/baseLedger/ledger.ts';
import { LimitedNode } from '../src/baseLedger/nodeLimits.ts';
import { answerBody } from '../src/baseLedger/rpc/dispatch.ts';
import { temporaryDirectory } from './support.ts';

/** A ledger in this process, whose blocks are made as its time is turned on. */
export async function manualLedger() {
  const time = manualTime();
  const faucet = await Faucet.open();
  const ledger = new LocalLedger(temporaryDirectory(), [faucet.account], time);
  time.every(SLOT_MILLISECONDS, () => ledger.makeBlock());
  const context = { ledger, faucet, node: new LimitedNode(time), time, fail: () => {} };
  const ask = async (method: string, ...params: unknown[]) => {
    const answer = JSON.parse(await answerBody(context, JSON.stringify({ id: 1, method, params }), false));
    if (answer.error !== undefined) throw new Error(answer.error.message);
    return answer.result;
  };
  const send = async (to: Address, lamports: bigint, blockhash = ledger.blockhashes.latest): Promise<string> => {
    const { wire } = await faucet.transfer(to, lamports, blockhash);
    return ask('sendTransaction', Buffer.from(wire).toString('base64'), { encoding: 'base64' });
  };
  return { time, ledger, context, ask, send };
}
