import type { Command } from 'commander';

/** Everything that `payout` can be told to do, in the order in which its help names it. */
export const COMMANDS: readonly ((program: Command) => void)[] = [];
