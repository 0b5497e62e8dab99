// One measure in a process of its own: child.ts NAME [--quick]. It loads that measure alone, for what others load is felt: with vitest
// in the process, Node copies hashes a third slower.
import type { Measure } from './row.ts';

const [name = '', quick] = process.argv.slice(2);
const measures: Record<string, Measure> = await import(`./measures/${name}.ts`);
const rows = await (measures[name] as Measure).run(quick === '--quick', (text) => console.log(`  ${text}`));
process.send?.(rows, () => process.exit(0));
