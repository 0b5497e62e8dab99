// The service as it is, with its own settings, but its runs stop at every point until the parent process lets them go on.
import '../../dist/platform/memory.js';
import { systemTime } from '@payouts/client';
import { createCoordinator } from '../../dist/app.js';
import { readSettings } from '../../dist/config/settings.js';
import type { Failpoint } from '../../dist/ledger/failpoints.js';

const stopped = new Map<number, () => void>();
let passings = 0;
const failpoint: Failpoint = (point, run) =>
  new Promise((goOn) => {
    passings += 1;
    stopped.set(passings, goOn);
    process.send?.({ passing: passings, point, run });
  });
process.on('message', ({ goOn }: { goOn: number }) => {
  stopped.get(goOn)?.();
  stopped.delete(goOn);
});
process.on('disconnect', () => process.exit(1));

const coordinator = await createCoordinator(readSettings(process.env), { time: systemTime, failpoint });
process.on('SIGTERM', () => {
  coordinator.stop().then(
    () => process.exit(0),
    () => process.exit(1),
  );
});
process.send?.({ url: coordinator.url });
