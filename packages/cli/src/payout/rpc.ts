import {
  type BaseConnection,
  type Commitment,
  DEFAULT_FEES,
  type FeePolicy,
  type Outbox,
  patientRpc,
  SlotHorizon,
  type Time,
} from '@payouts/client';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { outboxFolder, outboxOf } from './outbox.ts';
import { tell, wrapped } from './output.ts';
import { keepShownSlots, readShownSlots } from './shownSlots.ts';
import { solanaSetting } from './solanaConfig.ts';

/** What a command takes that speaks to the base ledger. */
export type LedgerOptions = { readonly rpc?: string; readonly time: Time } & Partial<SendOptions>;

/** What one takes that sends to it; `line`: a hash of the command's words. */
export type SendOptions = {
  readonly priorityFee: 'auto' | bigint;
  readonly maxPriorityFee: bigint;
  readonly commitment: Commitment;
  readonly line: string;
};

const DEFAULT_RPC = 'http://127.0.0.1:8899';

/** Adds `--rpc`. */
export function withLedger(command: Command): Command {
  return command.addOption(
    new Option('--rpc <url>', "RPC of the base ledger, or several by commas (default: that of Solana's own CLI)").env(
      'PAYOUT_RPC',
    ),
  );
}

/** Adds what says how a command sends to the base ledger. */
export function withSending(command: Command): Command {
  return withLedger(command)
    .addOption(
      new Option('--priority-fee <fee>', 'micro-lamports for a compute unit, or auto: what others pay')
        .argParser(feeOption)
        .default('auto'),
    )
    .addOption(
      new Option('--max-priority-fee <fee>', 'most that auto pays, micro-lamports')
        .argParser(amountOption)
        .default(DEFAULT_FEES.cap, String(DEFAULT_FEES.cap)),
    )
    .addOption(
      new Option('--commitment <level>', 'how sure the ledger must be before the command ends')
        .choices(['confirmed', 'finalized'])
        .default('finalized'),
    );
}

function amountOption(text: string): bigint {
  if (/^(0|[1-9]\d{0,9})$/.test(text)) return BigInt(text);
  throw new InvalidArgumentError('It takes micro-lamports for a compute unit, a whole number.');
}

const feeOption = (text: string) => (text === 'auto' ? text : amountOption(text));

function feesOf({ priorityFee, maxPriorityFee }: SendOptions): FeePolicy {
  return priorityFee === 'auto' ? { floor: 0n, cap: maxPriorityFee } : { floor: priorityFee, cap: priorityFee };
}

/** Whether the options are of a command that sends. */
export const isSending = (options: Partial<SendOptions>): options is SendOptions => options.commitment !== undefined;

/** What is said while something is waited for, and how long it usually takes. */
const AWAITING = {
  landing: 'Sent. The ledger usually takes it within two seconds, a busy one within a minute …',
  finality: 'Taken. It is usually final after 13 seconds …',
} as const;

/** The base ledger: the RPC given, else the one that Solana's own command line is set to, else that of a local ledger. */
export async function baseLedger(options: LedgerOptions): Promise<BaseConnection> {
  const { time } = options;
  const rpc = options.rpc ?? (await solanaSetting('json_rpc_url')) ?? DEFAULT_RPC;
  const folder = outboxFolder();
  const horizon = new SlotHorizon(time, await readShownSlots(folder, rpc));
  const base = patientRpc(rpc, time, horizon);
  if (!isSending(options)) return { base, time };
  let said: keyof typeof AWAITING | undefined;
  const onAwaiting = (what: keyof typeof AWAITING) => {
    // Of several, the first is enough; and none goes back.
    if (said === what || said === 'finality') return;
    said = what;
    for (const line of wrapped(AWAITING[what])) tell(line);
  };
  const { commitment, line } = options;
  const kept = outboxOf({ base, time }, line);
  const outbox: Outbox = {
    ...kept,
    async drop(signature) {
      await keepShownSlots(folder, rpc, horizon.shown);
      await kept.drop(signature);
    },
  };
  return { base, time, sending: { fees: feesOf(options), commitment, outbox, onAwaiting } };
}
