import './atOnce.ts';
import { once } from 'node:events';
import { silentLog } from '../support/log.ts';
import { BUGS } from './bugs.ts';
import type { Answer, Task } from './cli.ts';
import { worldAt } from './plan.ts';
import { World } from './world.ts';

// Run by cli.ts: lives some worlds of a simulation, one after the other.
const [task] = (await once(process, 'message')) as [Task];
for (const place of task.places) {
  const bug = task.bug === undefined ? undefined : BUGS[task.bug];
  const report = await new World({ ...worldAt(task, place), bug, log: silentLog }).run();
  process.send?.({ place, report } satisfies Answer);
}
process.disconnect?.();
