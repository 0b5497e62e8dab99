import { PAYOUT_LEDGER_PROGRAM_ADDRESS as program } from '@payouts/client';
import { CONFIG } from '@payouts/testing/litesvm/handles';
import type { Random } from '@payouts/testing/random';
import type { TransactionPartialSigner } from '@solana/kit';
import { Balances } from '../../../src/balances/balances.ts';
import { retryPolicies } from '../../../src/domain/backoff.ts';
import { placesFromBytes } from '../../../src/domain/places.ts';
import { unattested } from '../../../src/ledger/attestation/trust.ts';
import { LedgerClock } from '../../../src/ledger/clock.ts';
import { LiabilityRecorders } from '../../../src/liabilities/recorders.ts';
import type { PayableList } from '../../../src/lists/payableList.ts';
import type { Logger } from '../../../src/platform/log/log.ts';
import type { Metrics } from '../../../src/platform/metrics.ts';
import { Semaphore } from '../../../src/platform/semaphore.ts';
import { StageRunner } from '../../../src/runs/runner.ts';
import type { PayloadKeys } from '../../../src/store/crypto/payloadKeys.ts';
import type { ListRow } from '../../../src/store/queries/lists.ts';
import { quietFees } from '../../support/quietFees.ts';
import type { Bug } from '../bugs.ts';
import type { Events } from '../events.ts';
import type { Ledgers } from '../ledgers/ledgers.ts';
import type { DrawnList } from '../ledgers/lists.ts';
import { memoryBalanceStore } from '../store/balances.ts';
import type { MemoryDatabase } from '../store/database.ts';
import { memoryLiabilityStore } from '../store/liabilities.ts';
import { memoryRunStore } from '../store/runs.ts';
import { watchedRunStore } from '../store/watched.ts';
import type { Watch } from '../watch.ts';
import { Driver } from './driver.ts';
import type { Life } from './life.ts';
import type { SharedLocks } from './locks.ts';
import { ledgerPorts, liabilityStorePort, storePort } from './ports.ts';
import { Scheduler } from './scheduler.ts';
import type { Weather } from './weather.ts';
import type { Workflows } from './workflows.ts';

/** What all coordinators of a world share. */
export type Shared = {
  readonly events: Events;
  readonly random: Random;
  readonly weather: Weather;
  readonly ledgers: Ledgers;
  readonly database: MemoryDatabase;
  readonly workflows: Workflows;
  readonly locks: SharedLocks;
  readonly authority: TransactionPartialSigner;
  readonly payloadKeys: PayloadKeys;
  readonly metrics: Metrics;
  readonly log: Logger;
  readonly bug: Bug | undefined;
  /** Registered lists by their root, hexadecimal. */
  readonly lists: ReadonlyMap<string, DrawnList>;
  readonly watch: Watch;
};

/** As the service's own defaults, but for what would only make a simulation longer. */
const POLICIES = retryPolicies({ attempts: 8, firstMs: 1_000, patienceMs: 600_000, holdRecheckMs: 30_000 });
const CLAIMS_IN_FLIGHT = 2;

/** Starts a coordinator's parts in a process: the service's own stages and recorders over simulated ports. */
export function startCoordinator(life: Life, shared: Shared): Driver {
  const { authority, payloadKeys, metrics, log, lists, bug, database, workflows } = shared;
  // As the service does, a process remembers a list and what it has learned of it.
  const remembered = new Map<string, PayableList>();
  const read = ({ root, places }: Pick<ListRow, 'root' | 'places'>) =>
    life.call('database', () => {
      const list = remembered.get(root) ?? lists.get(root)?.read(places === null ? undefined : placesFromBytes(places));
      if (list === undefined) throw new Error('The list is not registered.');
      remembered.set(root, list);
      return list;
    });
  const ports = ledgerPorts({
    ...shared,
    life,
    onSend: (ledger, wire) => shared.watch.onSend(life.name, ledger, wire),
  });
  const base = bug?.base?.(ports.base) ?? ports.base;
  const layer = bug?.layer?.(ports.layer) ?? ports.layer;
  const runStore = storePort(life, watchedRunStore(memoryRunStore(database, bug?.forgetsSent), database, shared.watch));
  const liabilityStore = liabilityStorePort(life, memoryLiabilityStore(database));
  const clock = new LedgerClock(life.time);
  const signal = life.stopping.signal;
  const fees = quietFees(life.time, metrics);
  const common = { program, config: CONFIG, authority, base, layer, fees, time: life.time, log, metrics, signal };
  const balanceStore = storePort(life, memoryBalanceStore(database));
  const balances = new Balances({
    ...common,
    store: bug?.balanceStore?.(balanceStore) ?? balanceStore,
    randomBelow: (bound) => shared.random.below(bound),
    newNonce: () => shared.random.bytes(16),
    mostBalances: Number.MAX_SAFE_INTEGER,
  });
  const liabilities = new LiabilityRecorders({
    ...common,
    store: bug?.liabilityStore?.(liabilityStore) ?? liabilityStore,
    locks: shared.locks.of(life),
    balances,
    findList: async (schedule, root) => {
      const row = await runStore.findList(schedule, root);
      return row && read(row);
    },
  });
  const runner = new StageRunner({
    context: {
      ...common,
      store: bug?.runStore?.(runStore) ?? runStore,
      payloadKeys,
      layerIdentity: () => life.call('layer', () => shared.ledgers.machines.validator),
      trust: unattested,
      // Its layer is as the published validator.
      permissions: { areThere: async () => false },
      liabilities,
      balances,
      newBitmapNonce: () => shared.random.below(2 ** 32),
      payableLists: { read },
      clock,
      listRoom: new Semaphore(Number.POSITIVE_INFINITY),
      keptPayments: new Map(),
      underWay: new Set(),
      permitted: { isDone: false },
      claimsInFlight: CLAIMS_IN_FLIGHT,
    },
    policies: POLICIES,
    draining: life.draining.signal,
  });
  const driver = new Driver(life, workflows, runner);
  const scheduler = new Scheduler({ life, base, clock, program, database, workflows, driver });
  void driver.run();
  void scheduler.run();
  void liabilities.serve(life.draining.signal);
  return driver;
}
