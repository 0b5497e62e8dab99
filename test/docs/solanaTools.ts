// What the devnet tutorial asks of Solana's own tools (solana, solana-keygen, spl-token), whose makers give them out elsewhere than in
// package registries: the same words, the same transactions, on the ledger that STAGE_BASE names. Run by a name and the tool's words.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { readKey, readOrCreateKey } from '@payouts/cli';
import { type Ledgers, patientRpc, sendToBase, systemTime } from '@payouts/client';
import { type Address, address, isAddress, type KeyPairSigner, lamports } from '@solana/kit';
import { getTransferSolInstruction } from '@solana-program/system';
import {
  findAssociatedTokenPda,
  getCreateAssociatedTokenIdempotentInstructionAsync,
  getMintToInstruction,
  TOKEN_PROGRAM_ADDRESS,
} from '@solana-program/token';
import { createMint } from './solanaTools/createMint.ts';
import { deployProgram, showProgram } from './solanaTools/programs.ts';

const SOL = 1_000_000_000;
const CONFIG = join(homedir(), '.config', 'solana', 'cli', 'config.yml');

const setting = (name: string): string => {
  const text = existsSync(CONFIG) ? readFileSync(CONFIG, 'utf8') : '';
  return new RegExp(`^${name}: (.+)$`, 'm').exec(text)?.[1] ?? '';
};

function saveSettings(changed: Readonly<Record<string, string>>): void {
  const all = { json_rpc_url: setting('json_rpc_url'), keypair_path: setting('keypair_path'), ...changed };
  mkdirSync(dirname(CONFIG), { recursive: true });
  writeFileSync(
    CONFIG,
    Object.entries(all)
      .map(([name, value]) => `${name}: ${value}\n`)
      .join(''),
  );
}

const ledger = (): Pick<Ledgers, 'base' | 'time'> => ({
  base: patientRpc(setting('json_rpc_url'), systemTime),
  time: systemTime,
});
const ownKey = (): Promise<KeyPairSigner> => readKey(setting('keypair_path'));
/** An address, or that of a key's file. */
const addressOf = async (word: string): Promise<Address> =>
  isAddress(word) ? address(word) : (await readKey(word)).address;

/** Each tool's commands by their words; given what follows them. */
const COMMANDS: Readonly<Record<string, (words: readonly string[]) => Promise<string>>> = {
  'solana-keygen new': async (words) => {
    const { values } = parseArgs({
      args: [...words],
      options: { outfile: { type: 'string' }, 'no-bip39-passphrase': { type: 'boolean' } },
    });
    if (values.outfile === undefined || existsSync(values.outfile)) throw new Error('Refusing to overwrite a key.');
    return `pubkey: ${(await readOrCreateKey(values.outfile)).address}`;
  },
  'solana-keygen pubkey': async ([file = '']) => (await readKey(file)).address,

  'solana config set': async (words) => {
    const { values } = parseArgs({
      args: [...words],
      options: { url: { type: 'string' }, keypair: { type: 'string' } },
    });
    saveSettings({
      ...(values.url !== undefined && { json_rpc_url: values.url }),
      ...(values.keypair !== undefined && { keypair_path: resolve(values.keypair) }),
    });
    return `Config File: ${CONFIG}`;
  },
  'solana airdrop': async ([amount = '']) => {
    const { base } = ledger();
    await base.requestAirdrop((await ownKey()).address, lamports(BigInt(Number(amount) * SOL))).send();
    return `${amount} SOL`;
  },
  'solana transfer': async (words) => {
    const { positionals } = parseArgs({
      args: [...words],
      allowPositionals: true,
      options: { 'allow-unfunded-recipient': { type: 'boolean' } },
    });
    const [to = '', amount = ''] = positionals;
    const source = await ownKey();
    const transfer = { source, destination: await addressOf(to), amount: BigInt(Number(amount) * SOL) };
    return `Signature: ${await sendToBase(ledger(), [getTransferSolInstruction(transfer)], source)}`;
  },
  'solana program deploy': async (words) => {
    const { values, positionals } = parseArgs({
      args: [...words],
      allowPositionals: true,
      options: { 'program-id': { type: 'string' }, 'upgrade-authority': { type: 'string' } },
    });
    const [payer, program] = [await ownKey(), await readKey(values['program-id'] ?? '')];
    const authority = await readKey(values['upgrade-authority'] ?? '');
    await deployProgram(setting('json_rpc_url'), {
      payer,
      program,
      // Of one address there may be one signer.
      authority: authority.address === payer.address ? payer : authority,
      elf: readFileSync(positionals[0] ?? ''),
    });
    return `Program Id: ${program.address}`;
  },
  'solana program show': async ([program = '']) => showProgram(ledger().base, address(program)),

  'spl-token create-token': async (words) => {
    const { values, positionals } = parseArgs({
      args: [...words],
      allowPositionals: true,
      options: { decimals: { type: 'string' } },
    });
    const mint = await readKey(positionals[0] ?? '');
    await createMint(ledger(), { payer: await ownKey(), mint, decimals: Number(values.decimals) });
    return `Creating token ${mint.address}`;
  },
  'spl-token create-account': async ([mint = '']) => {
    const payer = await ownKey();
    const account = { payer, owner: payer.address, mint: address(mint) };
    await sendToBase(ledger(), [await getCreateAssociatedTokenIdempotentInstructionAsync(account)], payer);
    return `Creating account of ${mint}`;
  },
  'spl-token mint': async ([mint = '', amount = '']) => {
    const payer = await ownKey();
    const [token] = await findAssociatedTokenPda({
      owner: payer.address,
      mint: address(mint),
      tokenProgram: TOKEN_PROGRAM_ADDRESS,
    });
    const { value } = await ledger().base.getTokenSupply(address(mint)).send();
    const units = BigInt(amount) * 10n ** BigInt(value.decimals);
    const minted = getMintToInstruction({ mint: address(mint), token, mintAuthority: payer, amount: units });
    await sendToBase(ledger(), [minted], payer);
    return `Minting ${amount} tokens`;
  },
};

const words = process.argv.slice(2);
const name = Object.keys(COMMANDS).find((each) => `${words.join(' ')} `.startsWith(`${each} `));
if (name === undefined) throw new Error(`The tutorial's stand-ins don't know: ${words.join(' ')}`);
console.log(await COMMANDS[name]?.(words.slice(name.split(' ').length)));
