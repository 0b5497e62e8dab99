import { manualTime } from '@payouts/testing/manualTime';
import type { Address } from '@solana/kit';
import { Cluster } from '../src/baseLedger/cluster.ts';
import { Faucet } from '../src/baseLedger/faucet.ts';
import { LocalLedger, SLOT_MILLISECONDS } from '../src/baseLedger/ledger.ts';
import { answerBody, type Caller } from '../src/baseLedger/rpc/dispatch.ts';
import { temporaryDirectory } from './support.ts';

/** Who calls a public node. */
export const CALLER: Caller = { address: '127.0.0.1', isWebPage: false, isOnOwnNode: false };

/** Who calls an own node. */
export const OWN_NODE: Caller = { ...CALLER, isOnOwnNode: true };

/** A ledger in this process, whose blocks are made as its time is turned on. */
export async function manualLedger() {
  const time = manualTime();
  const faucet = await Faucet.open();
  const ledger = new LocalLedger(temporaryDirectory(), [faucet.account], time);
  time.every(SLOT_MILLISECONDS, () => ledger.makeBlock());
  const context = { ledger, faucet, cluster: new Cluster(ledger, time), fail: () => {} };
  const askAs = async (caller: Caller, method: string, ...params: unknown[]) => {
    const answer = JSON.parse(await answerBody(context, JSON.stringify({ id: 1, method, params }), caller));
    if (answer.error !== undefined) throw Object.assign(new Error(answer.error.message), answer.error);
    return answer.result;
  };
  const ask = (method: string, ...params: unknown[]) => askAs(CALLER, method, ...params);
  const sendWire = (wire: Uint8Array): Promise<string> => {
    const options = { encoding: 'base64', preflightCommitment: 'confirmed' };
    return ask('sendTransaction', Buffer.from(wire).toString('base64'), options);
  };
  const send = async (to: Address, lamports: bigint, blockhash = ledger.blockhashes.latest): Promise<string> =>
    sendWire((await faucet.transfer(to, lamports, blockhash)).wire);
  return { time, ledger, context, ask, askAs, send, sendWire };
}
