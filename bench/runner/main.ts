// npm run bench [-- NAME] [OPTIONS]: what parts of the system take, each beside a limit measured in the same run. Without a name: all.
import { runAll } from './all.ts';
import { MEASURES } from './measures.ts';
import { runOne } from './one.ts';

const [first = '', ...rest] = process.argv.slice(2);
const measure = MEASURES.find(({ name }) => name === first);

async function main(): Promise<number> {
  if (first === '' || first.startsWith('-')) return runAll(process.argv.slice(2));
  if (measure !== undefined) return runOne(measure, rest);
  const names = MEASURES.map(({ name }) => name).join(', ');
  console.error(`\n✖ There is no bench "${first}": choose one of ${names}, or none for all.`);
  return 1;
}

process.exit(await main());
