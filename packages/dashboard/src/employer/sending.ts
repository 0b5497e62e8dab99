import { sendStepsToBase } from '@payouts/client';
import type { Steps } from '@payouts/employer';
import type { Acting } from './acting.ts';

/** Has steps signed and sends them one after the other, each when the last one is final; `say` tells what is waited for. */
export async function sendSteps(
  { ledgers, employer, wallet }: Acting,
  steps: Steps,
  say: (doing: string) => void,
): Promise<void> {
  say(`Confirm it in ${wallet?.name ?? 'your wallet'}`);
  const onAwaiting = (what: 'landing' | 'finality') =>
    say(what === 'landing' ? 'Sent. Waiting for the ledger' : 'On the ledger. Waiting until it is final');
  await sendStepsToBase({ ...ledgers, sending: { ...ledgers.sending, onAwaiting } }, steps, employer);
}
