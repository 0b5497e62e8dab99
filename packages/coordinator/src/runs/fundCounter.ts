import { buildOwnTransaction, findCounterAddress, getFundCounterInstructionAsync } from '@payouts/client';
import type { Address } from '@solana/kit';
import { readAccount } from '../ledger/ledger.ts';
import type { WindowAddresses } from '../ledger/probe.ts';
import { programErrorName, refusedError } from '../ledger/programErrors.ts';
import type { StageContext } from './context.ts';
import { type CounterDemand, counterFunding } from './funding.ts';
import { DifferingLimits, sendUnkept } from './layerSend.ts';

/**
 * Tries, and milliseconds until the second one, each wait longer by as much: a layer that has fetched the program just now refuses what
 * names it before its next slot (`UnsupportedProgramId`).
 */
const TRIES = 3;
const AGAIN_MS = 300;

/**
 * Sees to it that the token's counter has lamports for what recipients ask for, as the counter itself shows; a batch that can't give them
 * is no reason to stop.
 */
export async function fundCounter(
  context: StageContext,
  { batch }: WindowAddresses,
  mint: Address,
  demand: CounterDemand,
): Promise<void> {
  const { authority, config, layer, program, time, signal, log } = context;
  const counter = await findCounterAddress(mint, { programAddress: program });
  const limits = new DifferingLimits(context);
  let detail = 'no answer';
  for (let tries = 1; ; tries++) {
    const lamports = counterFunding((await readAccount(layer, counter))?.lamports ?? 0n, demand);
    if (lamports === 0n) return;
    if (tries > TRIES) break;
    const instruction = await getFundCounterInstructionAsync(
      { authority, config, batch, mint, lamports },
      { programAddress: program },
    );
    const transaction = await buildOwnTransaction({
      feePayer: authority,
      instructions: [instruction],
      lifetime: await layer.lifetime(),
      computeUnitLimit: limits.next(),
    });
    const err = await sendUnkept(context, transaction);
    // Without an answer it may have been executed all the same: the counter tells.
    if (err === null) continue;
    detail = refusedError('funding of a counter', err).message;
    // The program's own reasons don't pass.
    if (programErrorName(err) !== undefined) break;
    await time.pause(AGAIN_MS * tries, signal);
  }
  log.warn({ mint, detail }, "a counter's lamports are low, and the window's batch has not given more");
}
