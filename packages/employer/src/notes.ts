import { findVaultAddress, noted, type Payslip } from '@payouts/client';
import type { Address, MessagePartialSigner } from '@solana/kit';
import type { ConvertedEntries } from './listFile.ts';

/** What the employer's own copy of a schedule's list with this root says of amounts in a currency; undefined: there is no copy. */
type ConversionsOf = (schedule: Address, root: Uint8Array) => Promise<ConvertedEntries | undefined>;

/**
 * Payslips of a window with the employer's signed notes on amounts that were converted from a currency, as far as their copy of the list says so. The
 * coordinator knows nothing of them. Whoever is not the employer signs none.
 */
export async function* notedPayslips(
  payslips: AsyncIterable<Payslip>,
  employer: MessagePartialSigner,
  conversionsOf: ConversionsOf,
): AsyncGenerator<Payslip> {
  let converted: ConvertedEntries | undefined;
  for await (const payslip of payslips) {
    converted ??= await conversionsFor(payslip, employer, conversionsOf);
    const own = converted.get(payslip.leaf.index);
    yield own === undefined ? payslip : await noted(payslip, own, employer);
  }
}

async function conversionsFor(
  { settled }: Payslip,
  { address }: MessagePartialSigner,
  conversionsOf: ConversionsOf,
): Promise<ConvertedEntries> {
  const { mint, schedule, root, program: programAddress, vault } = settled;
  const isOwn = (await findVaultAddress(address, mint, { programAddress })) === vault;
  return (isOwn ? await conversionsOf(schedule, root) : undefined) ?? new Map();
}
