#!/usr/bin/env node
import { systemTime } from '@payouts/client';
import { runPayout } from './program.ts';

// Whoever reads the output may go away before all is written.
for (const output of [process.stdout, process.stderr]) output.on('error', () => {});

process.exitCode = await runPayout(process.argv.slice(2), systemTime);
