import type { Command } from 'commander';
import { addAuthority } from './authority.ts';
import { addInit } from './init.ts';
import { addKeys } from './keys.ts';
import { addPool } from './pool.ts';
import { addReplacement } from './replacement.ts';
import { addShow } from './show.ts';
import { addUpdate } from './update.ts';
import { addWhitelist } from './whitelist.ts';

/** payout governance … */
export function addGovernance(program: Command): void {
  const governance = program.command('governance').description('A deployment of the ledger program: keys and limits');
  for (const add of [addInit, addShow, addUpdate, addKeys, addReplacement, addAuthority, addWhitelist, addPool])
    add(governance);
}
