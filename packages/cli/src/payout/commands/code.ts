import type { Command } from 'commander';
import { type CommonOptions, withCommon } from '../options.ts';
import { print, printJson } from '../output.ts';
import { chosenToken } from '../ownTokens.ts';
import { openSession } from '../session.ts';

type Options = CommonOptions & { readonly token?: string };

/** payout code */
export function addCode(program: Command): void {
  withCommon(
    program
      .command('code')
      .description('Show your payment code, to which others pay inside: it says nothing of you, and you may publish it')
      .option('--token <token>', 'symbol or address, if you have several'),
  ).action(async (options: Options) => {
    const { client } = await openSession(options);
    const { mint, handle } = chosenToken((await client.balances()).balances, options.token);
    const paymentCode = await client.paymentCode(mint);
    if (options.json) return printJson({ mint, token: handle, paymentCode });
    print(paymentCode);
  });
}
