import { addresses } from '../addresses.ts';
import { poll } from '../poll.ts';
import { preview } from '../preview.ts';
import { reads } from '../reads.ts';
import { registration } from '../registration.ts';
import { soak } from '../soak.ts';
import { start } from '../start.ts';
import { throughput } from '../throughput.ts';
import { tree } from '../tree.ts';
import { windows } from '../windows.ts';
import type { Measure } from './measure.ts';

/** Everything that `npm run bench` measures, in this order. */
export const MEASURES: readonly Measure[] = [
  tree,
  addresses,
  registration,
  poll,
  reads,
  preview,
  start,
  windows,
  throughput,
  soak,
];
