import { type Command, InvalidArgumentError } from 'commander';
import { CLUSTER_HABITS, type ClusterHabits } from './baseLedger/habits.ts';

/** The options of `localnet up` that make of its base ledger a cluster; true: the option without a figure. */
export interface ClusterOptions {
  readonly cluster?: true;
  readonly landing?: number | true;
  readonly finality?: number | true;
  readonly lostSends?: number | true;
  readonly load?: number;
  readonly feeMarket?: number | true;
  readonly nodesBehind?: number | true;
  readonly callLimits?: true;
  readonly retryAfter: boolean;
  readonly history: boolean;
  readonly programAccounts: boolean;
  readonly cutWebsockets?: number | true;
}

const SECOND_MS = 1_000;
const PERCENT = 100;
const TYPICAL = CLUSTER_HABITS;
const seconds = (milliseconds: number | null): string => `${(milliseconds ?? 0) / SECOND_MS} s`;

/** Gives a command the options of a cluster. */
export function addClusterOptions(command: Command): Command {
  return command
    .optionsGroup(
      "A cluster's habits, of the base ledger; without a figure they are typical, and 0 takes one from --cluster:",
    )
    .option('--cluster', 'all of those below')
    .option('--landing [seconds]', `transactions land so late (${seconds(TYPICAL.landMs)})`, toFigure)
    .option('--finality [seconds]', `and are final so much later (${seconds(TYPICAL.finalMs)})`, toFigure)
    .option(
      '--lost-sends [percent]',
      `so many sends under load are answered and never land (${TYPICAL.lostShare * PERCENT})`,
      toPercent,
    )
    .option('--load <sends>', `more in a second than this are load (${TYPICAL.loadSends})`, toFigure)
    .option(
      '--fee-market [bid]',
      `transactions need a bid of so many micro-lamports a compute unit, more under load (${TYPICAL.baseBid})`,
      toFigure,
    )
    .option(
      '--nodes-behind [seconds]',
      `every second call is answered by a node so far behind (${seconds(TYPICAL.behindMs)})`,
      toFigure,
    )
    .option(
      '--call-limits',
      `HTTP 429 beyond ${TYPICAL.calls} calls in 10 s, or ${TYPICAL.callsPerMethod} of a method, from an address`,
    )
    .option('--no-retry-after', 'such a refusal does not say when to come again')
    .option('--no-history', 'nodes keep no history of transactions')
    .option('--no-program-accounts', "nodes do not list a program's accounts")
    .option(
      '--cut-websockets [seconds]',
      `websockets are cut after so long (${seconds(TYPICAL.websocketMs)})`,
      toFigure,
    );
}

/** The habits that options ask for. */
export function habitsOf(options: ClusterOptions): Partial<ClusterHabits> {
  const { cluster, callLimits, cutWebsockets } = options;
  const scaled = (figure: number | true | undefined, scale: number, name: keyof ClusterHabits) => {
    if (figure === undefined && cluster === undefined) return {};
    return { [name]: typeof figure === 'number' ? figure * scale : TYPICAL[name] };
  };
  const hasLimits = callLimits === true || cluster === true;
  return {
    ...scaled(options.landing, SECOND_MS, 'landMs'),
    ...scaled(options.finality, SECOND_MS, 'finalMs'),
    ...scaled(options.lostSends, 1 / PERCENT, 'lostShare'),
    ...scaled(options.load, 1, 'loadSends'),
    ...scaled(options.feeMarket, 1, 'baseBid'),
    ...scaled(options.nodesBehind, SECOND_MS, 'behindMs'),
    ...(cutWebsockets === 0 ? {} : scaled(cutWebsockets, SECOND_MS, 'websocketMs')),
    ...(hasLimits && {
      calls: TYPICAL.calls,
      callsPerMethod: TYPICAL.callsPerMethod,
      saysRetryAfter: options.retryAfter,
    }),
    hasHistory: options.history && cluster !== true,
    listsAccounts: options.programAccounts && cluster !== true,
  };
}

function toPercent(text: string): number {
  const percent = toFigure(text);
  if (percent > PERCENT) throw new InvalidArgumentError('Give a figure of 0 to 100.');
  return percent;
}

function toFigure(text: string): number {
  const figure = Number(text);
  if (!Number.isFinite(figure) || figure < 0) throw new InvalidArgumentError('Give a figure of 0 or more.');
  return figure;
}
