/**
 * npm run program:cost [-- --json FILE --markdown FILE]: compute units of every instruction, and of a claim by batch size, on the real ledgers. Ends
 * with 1 when a claim costs more than its limit.
 */
import { writeFile } from 'node:fs/promises';
import { Command } from 'commander';
import { measureClaims } from './claims.ts';
import { measureInstructions } from './instructions.ts';
import { claimTable, instructionTable, page } from './tables.ts';

const options = new Command('npm run program:cost --')
  .option('--json <file>', 'also write the figures there')
  .option('--markdown <file>', 'also write the tables there, as a page of the documentation')
  .parse()
  .opts<{ json?: string; markdown?: string }>();

const instructions = await measureInstructions();
console.log(instructionTable(instructions));
const claims = await measureClaims();
const { text, isWithinLimits } = claimTable(claims);
console.log(text);
if (options.json !== undefined) await writeFile(options.json, JSON.stringify({ instructions, claims }, null, 2));
if (options.markdown !== undefined) await writeFile(options.markdown, page(instructions, claims));
process.exit(isWithinLimits ? 0 : 1);
