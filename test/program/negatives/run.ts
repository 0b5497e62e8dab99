import { aheadInLayer, aheadOf, creators, layerCreators } from './ahead.ts';
import { negatives } from './matrix.ts';
import { countOf, print } from './print.ts';

// npm run program:negatives [INSTRUCTION]
const only = process.argv[2];
const rows = negatives(only);
const { tried, accepted } = countOf(rows);
console.log(print(rows));
for (const each of accepted) console.error(`✖ ${each}`);

const isAsked = ({ name }: { readonly name: string }) => only === undefined || name === only;
const trials = [...creators.filter(isAsked).flatMap(aheadOf), ...layerCreators.filter(isAsked).flatMap(aheadInLayer)];
const stopped = trials.filter(({ failure }) => failure !== undefined);
for (const { name, address, what, failure } of stopped) console.error(`✖ ${name}, ${what} at ${address}: ${failure}`);
console.log(
  `\nsent ahead to ${new Set(trials.map(({ address }) => address)).size} addresses, ${trials.length} times, stopped: ${stopped.length}`,
);

console.log(`\n${tried} negatives, ${accepted.length} accepted`);
process.exit(accepted.length === 0 && stopped.length === 0 && tried > 0 ? 0 : 1);
