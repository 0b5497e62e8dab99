import { negatives } from './matrix.ts';
import { countOf, print } from './print.ts';

// npm run program:negatives [INSTRUCTION]
const rows = negatives(process.argv[2]);
const { tried, accepted } = countOf(rows);
console.log(print(rows));
for (const each of accepted) console.error(`✖ ${each}`);
console.log(`\n${tried} negatives, ${accepted.length} accepted`);
process.exit(accepted.length === 0 && tried > 0 ? 0 : 1);
