import { getBase64Encoder } from '@solana/kit';
import { getPayoutEventDecoder, PAYOUT_LEDGER_PROGRAM_ADDRESS, type PayoutEvent } from '../generated/index.ts';
import type { Deployment } from './addresses.ts';

const ADDRESS = '[1-9A-HJ-NP-Za-km-z]{32,44}';
const INVOKED = new RegExp(`^Program (${ADDRESS}) invoke \\[([1-9][0-9]?)\\]$`);
const RETURNED = new RegExp(`^Program ${ADDRESS} (?:success$|failed)`);
const DATA = 'Program data: ';

const base64 = getBase64Encoder();
const decoder = getPayoutEventDecoder();

/** Undefined unless all of the text is one event. */
function decodeEvent(text: string): PayoutEvent | undefined {
  try {
    const bytes = base64.encode(text);
    const [event, end] = decoder.read(bytes, 0);
    return end === bytes.length ? event : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The ledger program's events in a transaction's logs, in order. What other programs log is passed over, whatever it looks like;
 * so is what is malformed. The caller knows that the transaction succeeded.
 */
export function decodeEvents(logs: readonly string[], deployment: Deployment = {}): PayoutEvent[] {
  const ours = deployment.programAddress ?? PAYOUT_LEDGER_PROGRAM_ADDRESS;
  const events: PayoutEvent[] = [];
  /** The programs that are running, each called by the one before. */
  const running: string[] = [];
  for (const line of logs) {
    const [, program, depth] = INVOKED.exec(line) ?? [];
    if (program !== undefined) {
      running.length = Math.min(running.length, Number(depth) - 1);
      running.push(program);
    } else if (RETURNED.test(line)) {
      running.pop();
    } else if (running.at(-1) === ours && line.startsWith(DATA)) {
      const event = decodeEvent(line.slice(DATA.length));
      if (event !== undefined) events.push(event);
    }
  }
  return events;
}
