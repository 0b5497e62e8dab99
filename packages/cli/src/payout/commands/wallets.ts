import {
  ApiFailed,
  buildRelayedTransfer,
  type FreshWallet,
  findTokenAddress,
  findUsed,
  isAddressText,
  ownPayouts,
  type RecipientClient,
  readPublicPayouts,
  type TokenInfo,
  tokensOf,
  troubleOfCode,
} from '@payouts/client';
import { readToken } from '@payouts/employer';
import { type Address, createKeyPairSignerFromBytes, getBase58Decoder, isSolanaError } from '@solana/kit';
import { type Command, InvalidArgumentError } from 'commander';
import { parseTokens, withName } from '../amounts.ts';
import { progressBar } from '../bar.ts';
import { isWanted } from '../confirm.ts';
import { Failure, WrongUsage } from '../failure.ts';
import { walletsOf } from '../freshWallets.ts';
import { loadKeypair } from '../keypair.ts';
import { writeNewFile } from '../newFile.ts';
import {
  type AskOptions,
  addressOption,
  type CommonOptions,
  type KeyOptions,
  withAsking,
  withCommon,
  withJson,
  withKey,
} from '../options.ts';
import { columns, print, printJson, printResult, warn } from '../output.ts';
import { chosenToken } from '../ownTokens.ts';
import { baseLedger, type LedgerOptions, withLedger } from '../rpc.ts';
import { openSession } from '../session.ts';

type ListOptions = CommonOptions & LedgerOptions & { readonly token?: string };
type SendFromOptions = CommonOptions & AskOptions & LedgerOptions & { readonly to: Address; readonly token?: string };
type ExportOptions = KeyOptions & { readonly out?: string; readonly base58?: true; readonly print?: true };

const INDEX_COLUMN = 0;
const AMOUNT_COLUMN = 2;

/** payout wallets list, send and export. */
export function addWallets(program: Command): void {
  const wallets = program
    .command('wallets')
    .description('Your fresh wallets: as many as you like, all found again by your key alone');
  withLedger(withCommon(wallets.command('list')))
    .description('Show those that were used, what they hold, and the next one')
    .option('--token <token>', 'symbol or address: this token alone; by its address also without the coordinator')
    .action(list);
  withAsking(withLedger(withCommon(wallets.command('send'))))
    .description('Send what one holds, without SOL: the coordinator pays the fee')
    .argument('<index>', 'from which one, as payout wallets list shows it', indexOperand)
    .argument('<amount>', 'such as 120.50, or all')
    .requiredOption('--to <wallet>', 'whose account of the token it goes to', addressOption)
    .option('--token <token>', 'symbol or address, if you have several')
    .action(sendFrom);
  withJson(withKey(wallets.command('export')))
    .description('Write the key of one, for any wallet app or command to import')
    .argument('<index>', 'which one, as payout wallets list shows it', indexOperand)
    .option('--out <file>', 'a new file for the key, which only you can read')
    .option('--base58', 'one line of text as wallet apps import it, instead of a keypair file')
    .option('--print', 'print the key instead of writing a file')
    .action(exportKey);
}

function indexOperand(text: string): number {
  if (/^(0|[1-9][0-9]{0,8})$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It is not the index of a fresh wallet.');
}

/** What the coordinator knows: whose balances are of which tokens, and which wallets were used or will be. */
type Known = { readonly mints: readonly Address[]; readonly used: ReadonlySet<Address> };

/** Without a coordinator the key and the address of a token are enough. Throws `Failure` and `ApiFailed`. */
async function knownBy(client: RecipientClient, named: string | undefined): Promise<Known> {
  try {
    const { balances } = await client.balances();
    const mints = named === undefined ? balances.map(({ mint }) => mint) : [chosenToken(balances, named).mint];
    return { mints: [...new Set(mints)], used: await ownPayouts(client) };
  } catch (error) {
    const isAway = error instanceof ApiFailed && error.status === undefined;
    if (!isAway || named === undefined || !isAddressText(named)) throw error;
    warn('The coordinator does not answer: what is still on its way is not shown.');
    return { mints: [named], used: new Set() };
  }
}

/** A fresh wallet that was used: what it holds of each token that was paid to it; none: its payment is on its way. */
type Used = FreshWallet & { readonly holds: readonly { readonly token: TokenInfo; readonly amount: bigint }[] };

async function list(options: ListOptions): Promise<void> {
  const { client, owner, signer } = await openSession(options);
  const wallets = await walletsOf(signer);
  const { mints, used } = await knownBy(client, options.token);
  const ledgers = await baseLedger(options);
  const paid = await Promise.all(mints.map(async (mint) => heldBy(ledgers, await readToken(ledgers, mint))));
  const all = new Set([...used, ...paid.flatMap(({ held }) => [...held.keys()])]);
  const use = await findUsed(wallets, all);
  const found = use.used.map(
    (wallet): Used => ({
      ...wallet,
      holds: paid.flatMap(({ token, held }) => {
        const amount = held.get(wallet.address);
        return amount === undefined ? [] : [{ token, amount }];
      }),
    }),
  );
  const next = await wallets.at(use.next);
  if (options.json) return printJson({ recipient: owner, wallets: found.map(walletFor), next });
  for (const line of columns(found.flatMap(rows), [INDEX_COLUMN, AMOUNT_COLUMN])) print(line);
  print(`${found.length === 0 ? 'None was used yet. ' : ''}The next one is ${next.index}, ${next.address}`);
}

/** Whom a token's pool has paid, and what these hold of it now. Throws `Failure` ledger-unsupported. */
async function heldBy(ledgers: Awaited<ReturnType<typeof baseLedger>>, token: TokenInfo) {
  const bar = progressBar(`Reading all payouts of ${token.name}`);
  const onRead = (read: number, of: number) => bar.at(read / of);
  const { wallets, forgotten } = await readPublicPayouts(ledgers, token.mint, { onRead })
    .catch((cause: unknown) => {
      if (!isSolanaError(cause) || troubleOfCode(cause.context.__code)?.kind !== 'lacking') throw cause;
      throw new Failure(
        'ledger-unsupported',
        'The node does not list old transactions, by which fresh wallets are found. Ask another with --rpc.',
        { cause },
      );
    })
    .finally(() => bar.end());
  if (forgotten > 0) {
    warn(
      `The node has forgotten ${forgotten} transactions of ${token.name}: wallets that they paid are missing. Ask one that keeps the whole history with --rpc.`,
    );
  }
  return { token, held: await tokensOf(ledgers, wallets, token) };
}

/** A row for each token that a wallet was paid. */
const rows = ({ index, address, holds }: Used): string[][] =>
  holds.length === 0
    ? [[String(index), address, 'on the way']]
    : holds.map(({ token, amount }) => [String(index), address, withName(amount, token)]);

/** The same for programs. */
const walletFor = ({ index, address, holds }: Used): object => ({
  index,
  address,
  state: holds.length === 0 ? 'under-way' : 'paid',
  tokens: holds.map(({ token: { mint }, amount }) => ({ mint, amount })),
});

async function sendFrom(index: number, amount: string, options: SendFromOptions): Promise<void> {
  const { client, signer } = await openSession(options);
  const ledgers = await baseLedger(options);
  const { mint } = chosenToken((await client.balances()).balances, options.token);
  const token = await readToken(ledgers, mint);
  const row = await walletsOf(signer);
  const wallet = await createKeyPairSignerFromBytes(await row.keyOf(index));
  const holds = (await tokensOf(ledgers, new Set([wallet.address]), token)).get(wallet.address) ?? 0n;
  const taken = amount === 'all' ? holds : parseTokens(amount, token.decimals);
  if (taken > holds || holds === 0n) {
    throw new Failure('insufficient-balance', `Fresh wallet ${index} holds ${withName(holds, token)}.`);
  }
  const terms = await client.relayTerms();
  if (terms === undefined) {
    throw new Failure(
      'relay-off',
      'This coordinator pays no fees of transfers: export the key, and send the wallet some SOL.',
    );
  }
  const what = [
    `Sends ${withName(taken, token)} from your fresh wallet ${index}, ${wallet.address}`,
    `  to ${options.to}`,
    'Everybody sees both wallets and the amount. A wallet that is known as yours gives this one your name, and so does one account for several of them.',
    ...(taken === holds ? ['It empties the wallet, whose rent goes back to where it came from.'] : []),
  ];
  const plan = { index, wallet: wallet.address, to: options.to, mint, amount: taken };
  if (!(await isWanted(what, options, plan))) return;
  const destination = await findTokenAddress(options.to, mint, token.program);
  const { value } = await ledgers.base.getLatestBlockhash({ commitment: 'confirmed' }).send();
  const transfer = { wallet, token, amount: taken, holds, destination, terms, blockhash: value.blockhash };
  const signature = await client.relay(await buildRelayedTransfer(transfer));
  printResult(options, { ...plan, signature }, `Sent ${withName(taken, token)} to ${options.to}`);
}

async function exportKey(index: number, options: ExportOptions): Promise<void> {
  const { out: file } = options;
  if ((file === undefined) === (options.print === undefined)) {
    throw new WrongUsage('Name a new file with --out FILE, or pass --print to print the key.');
  }
  const wallets = await walletsOf(await loadKeypair(options.keypair));
  const { address } = await wallets.at(index);
  const bytes = await wallets.keyOf(index);
  const key = options.base58 ? getBase58Decoder().decode(bytes) : JSON.stringify([...bytes]);
  warn(`Whoever has this key can spend all that ${address} holds. It opens no other wallet of yours.`);
  if (file === undefined) return printResult(options, { index, address, key }, key);
  await writeNewFile(file, `${key}\n`, '--out');
  printResult(options, { index, address, file }, `The key of ${address} is in ${file}`);
}
