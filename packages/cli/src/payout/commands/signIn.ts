import { ClientError, LONGEST_DELEGATION_SECONDS, millisOf, readSessionCode, signDelegation } from '@payouts/client';
import type { Command } from 'commander';
import { Failure, WrongUsage } from '../failure.ts';
import { loadKeypair } from '../keypair.ts';
import { type CommonOptions, withCommon } from '../options.ts';
import { print, printJson, tell } from '../output.ts';

/** Seconds less than the longest, for clocks that differ. */
const LESS_SECONDS = 60;

/** payout sign-in */
export function addSignIn(program: Command): void {
  withCommon(program.command('sign-in').argument('<code>', 'what the page shows'))
    .description('Lets the dashboard in your browser act for your key, for an hour: prints what to paste there')
    .action(signIn);
}

async function signIn(code: string, { api, keypair, json, time }: CommonOptions): Promise<void> {
  const session = sessionOf(code);
  if (!URL.canParse(api) || !/^https?:/.test(api)) {
    throw new WrongUsage(`--api takes the address of the page, such as https://payouts.example.com, not ${api}.`);
  }
  const signer = await loadKeypair(keypair);
  const { origin } = new URL(api);
  const expires = Math.floor(time.now() / 1_000) + LONGEST_DELEGATION_SECONDS - LESS_SECONDS;
  const delegation = await signDelegation(signer, { origin, wallet: signer.address, ...session, expires });
  if (json) return printJson({ wallet: signer.address, origin, expiresAt: millisOf(expires), delegation });
  tell(`For ${signer.address},`);
  tell(`at ${origin} alone, until ${new Date(millisOf(expires)).toISOString().slice(11, 16)} UTC.`);
  tell('Paste this into the page that showed the code, and nowhere else:');
  print(delegation);
}

function sessionOf(code: string): ReturnType<typeof readSessionCode> {
  try {
    return readSessionCode(code);
  } catch (cause) {
    if (!(cause instanceof ClientError)) throw cause;
    throw new Failure('code-malformed', 'That is no code of the dashboard: copy the whole of what its page shows.', {
      cause,
    });
  }
}
