import type { BaseConnection } from '@payouts/client';
import {
  compared,
  findVault,
  type NamedList,
  type OpenVault,
  previewOf,
  readToken,
  summaryOf,
  type TokenInfo,
} from '@payouts/employer';
import { type Payroll, type TokenPart, tokenParts } from '@payouts/payroll';
import type { Address } from '@solana/kit';
import type { Command } from 'commander';
import { withBook } from '../../employer/book.ts';
import { presentList } from '../../employer/lists.ts';
import { type PayrollOptions, payrollOf, payrollParts, withPayroll } from '../../employer/payroll.ts';
import { doubtLines, previewLines } from '../../employer/preview.ts';
import { loadKeypair } from '../../keypair.ts';
import { addressOption, withCommon } from '../../options.ts';
import { bold, print, printJson } from '../../output.ts';
import { baseLedger, withLedger } from '../../rpc.ts';
import { timeText } from '../../timeText.ts';
import { openSchedule, type ScheduleOptions } from './parts.ts';

type PreviewOptions = ScheduleOptions & PayrollOptions & { readonly token?: Address; readonly schedule?: Address };

/** payout schedule preview */
export function addPreview(schedule: Command): void {
  withPayroll(withBook(withLedger(withCommon(schedule.command('preview <payroll>')))))
    .description('Show what a payroll file costs and changes; nothing is sent')
    .option('--token <mint>', "the token's mint, for a new schedule, where the file does not name it", addressOption)
    .option('--schedule <address>', 'the schedule whose list it would replace', addressOption)
    .action(preview);
}

async function preview(file: string, options: PreviewOptions): Promise<void> {
  const { parts, payroll } = await inputOf(file, options);
  const found = await Promise.all(
    parts.map(async ({ part, present, ...input }) => {
      const names = new Map([...(present?.names ?? []), ...part.names]);
      const comparison = present && compared(present.recipients, part.lines, names);
      return {
        ...input,
        part: { ...part, names },
        comparison,
        preview: await previewOf(input.ledgers, summaryOf(part), { ...input, comparison }),
      };
    }),
  );
  const { columns, doubts } = payroll;
  if (options.json) {
    const all = found.map(({ token, part, comparison, preview: { rent, covered } }) => ({
      token: token.mint,
      recipients: part.lines.length,
      total: part.total,
      changes: comparison?.changes,
      rent,
      covered,
    }));
    return printJson({ ...(all.length === 1 ? all[0] : { tokens: all }), columns, doubts });
  }
  for (const { token, part, preview: each } of found) {
    print(bold(`${file} in ${token.name}`));
    print();
    for (const line of previewLines(each, part, token)) print(line);
    if (found.length > 1) print();
  }
  for (const line of doubtLines(doubts)) print(line);
}

/** What is previewed of one token. */
type Input = {
  readonly part: TokenPart;
  readonly token: TokenInfo;
  readonly ledgers: BaseConnection;
  readonly vault?: OpenVault | undefined;
  readonly schedule?: Address;
  readonly present?: NamedList | undefined;
};

async function inputOf(
  file: string,
  options: PreviewOptions,
): Promise<{ readonly parts: readonly Input[]; readonly payroll: Payroll }> {
  if (options.schedule !== undefined) {
    const own = await openSchedule(options.schedule, options);
    const { ledgers, token, vault, address, schedule, employer } = own;
    const payroll = await payrollOf(file, [token], options);
    const present = await presentList(options, address, schedule, employer);
    const parts = tokenParts(payroll).map((part) => ({ part, token, ledgers, vault, schedule: address, present }));
    return { payroll, parts };
  }
  const ledgers = await baseLedger(options);
  const employer = await loadKeypair(options.keypair).catch((error: unknown) => {
    if (options.token === undefined) throw error;
    return undefined;
  });
  const token = options.token === undefined ? undefined : await readToken(ledgers, options.token);
  const vault = token && employer && (await findVault(ledgers, employer.address, token));
  if (employer !== undefined && (token === undefined || vault !== undefined)) {
    const { payroll, parts } = await payrollParts(file, { employer, ledgers, timeText }, options);
    return { payroll, parts: parts.map(([own, part]) => ({ ...own, part })) };
  }
  const payroll = await payrollOf(file, [token as TokenInfo], options);
  return { payroll, parts: tokenParts(payroll).map((part) => ({ part, token: token as TokenInfo, ledgers })) };
}
