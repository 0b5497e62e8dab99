// node main.ts EVIDENCE TRUTH [--apart] [--open]: lets the world live and writes what may be seen of it to a folder, and the truth to a file.
import { writeFileSync } from 'node:fs';
import { live } from './story.ts';

const [evidence = '', truth = '', ...flags] = process.argv.slice(2);
writeFileSync(
  truth,
  JSON.stringify(await live(evidence, { isApart: flags.includes('--apart'), isOpen: flags.includes('--open') })),
);
process.exit(0);
