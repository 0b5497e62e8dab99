import { findVaultAddress, noted, type Payslip } from '@payouts/client';
import type { ConvertedEntries } from '@payouts/employer';
import type { MessagePartialSigner } from '@solana/kit';
import { type BookOptions, keptList } from './book.ts';

/**
 * Payslips of a window with the employer's signed notes on amounts that were converted from a currency, as far as the book says so. The coordinator
 * knows nothing of them. Whoever is not the employer signs none.
 */
export async function* notedPayslips(
  payslips: AsyncIterable<Payslip>,
  employer: MessagePartialSigner,
  options: BookOptions,
): AsyncGenerator<Payslip> {
  let converted: ConvertedEntries | undefined;
  for await (const payslip of payslips) {
    converted ??= await conversionsFor(payslip, employer, options);
    const own = converted.get(payslip.leaf.index);
    yield own === undefined ? payslip : await noted(payslip, own, employer);
  }
}

async function conversionsFor(
  { settled }: Payslip,
  { address }: MessagePartialSigner,
  options: BookOptions,
): Promise<ConvertedEntries> {
  const { mint, schedule, root, program: programAddress, vault } = settled;
  const isOwn = (await findVaultAddress(address, mint, { programAddress })) === vault;
  const list = isOwn ? await keptList(options, schedule, root) : undefined;
  return list?.converted ?? new Map();
}
