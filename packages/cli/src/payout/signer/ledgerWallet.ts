import { createRequire } from 'node:module';
import { addressFromBytes } from '@payouts/client';
import type { Address, SignatureBytes } from '@solana/kit';
import { Failure, WrongUsage } from '../failure.ts';
import { tell } from '../output.ts';
import { derivationOf } from './derivation.ts';
import type { Signer } from './signer.ts';

const LEDGER = /^usb:\/\/ledger(?:\/([1-9A-HJ-NP-Za-km-z]{32,44}))?\/?(?:\?.*)?$/i;
/** The key by which Solana's command line tells one device from another. */
const BASE_PATH = derivationOf('');
/** Their user's to install: few need them, and the transport has a native part. */
const [APP, TRANSPORT] = ['@ledgerhq/hw-app-solana', '@ledgerhq/hw-transport-node-hid-noevents'];

/** What is used of the Solana app of a Ledger wallet; `@ledgerhq/hw-app-solana` has it. */
export type SolanaApp = {
  getAddress(path: string): Promise<{ readonly address: Uint8Array }>;
  signTransaction(path: string, message: Buffer): Promise<{ readonly signature: Uint8Array }>;
};

/**
 * The key of a hardware wallet, named `usb://ledger[/ADDRESS][?key=ACCOUNT[/CHANGE]]`. Throws `Failure` hardware-missing or
 * hardware-other, or `WrongUsage`.
 */
export async function ledgerWallet(named: string): Promise<Signer> {
  const parts = LEDGER.exec(named);
  if (parts === null)
    throw new WrongUsage('--keypair takes usb://ledger, with /ADDRESS and ?key=0/0 behind it if need be.');
  return signerOf(await openApp(), derivationOf(named), parts[1]);
}

/** A signer of transactions by the app of a wallet; `device`: the address that its base path must have. */
export async function signerOf(app: SolanaApp, path: string, device?: string): Promise<Signer> {
  const addressAt = async (at: string): Promise<Address> =>
    addressFromBytes(Uint8Array.from((await answered(app.getAddress(at))).address));
  if (device !== undefined && (await addressAt(BASE_PATH)) !== device) {
    throw new Failure('hardware-other', `The wallet that is connected is not ${device}. Connect that one.`);
  }
  const address = await addressAt(path);
  return {
    address,
    signMessages: () => Promise.reject(signsTransactionsAlone()),
    signTransactions: async (transactions) => {
      const signed: Record<Address, SignatureBytes>[] = [];
      for (const { messageBytes } of transactions) {
        tell('Confirm it on your hardware wallet.');
        const { signature } = await answered(app.signTransaction(path, Buffer.from(messageBytes)));
        signed.push({ [address]: Uint8Array.from(signature) as SignatureBytes });
      }
      return signed;
    },
  };
}

/** The code of what a hardware wallet is asked in vain. */
export const HARDWARE_REFUSES = 'hardware-transactions-only';

const signsTransactionsAlone = (): Failure =>
  new Failure(
    HARDWARE_REFUSES,
    "A hardware wallet signs transactions alone. This takes a signature of a text: a request to the coordinator, or a recipient's authorisation. A hardware wallet signs texts only in an envelope of Solana's off-chain messages, which neither the coordinator nor the ledger takes. Use a key in a file or a seed phrase.",
  );

async function openApp(): Promise<SolanaApp> {
  const App = solanaApp();
  const transport = packaged<{ create(): Promise<unknown> }>(TRANSPORT);
  try {
    return new App(await transport.create());
  } catch (cause) {
    throw noDevice(cause);
  }
}

/** The maker's own library for the Solana app. Throws `Failure` hardware-module-missing. */
export const solanaApp = () => packaged<new (transport: unknown) => SolanaApp>(APP);

/** What a package of Ledger's exports. By `require`: Node can't resolve the modules of their other form. */
function packaged<T>(name: string): T {
  try {
    return (createRequire(import.meta.url)(name) as { default: T }).default;
  } catch (cause) {
    throw new Failure(
      'hardware-module-missing',
      `Hardware wallets need packages that are not installed here: npm install ${APP} ${TRANSPORT} beside this command.`,
      { cause },
    );
  }
}

/** Status words of a device: https://developers.ledger.com/docs */
const STATUS: Readonly<Record<number, Failure>> = {
  27013: new Failure('not-confirmed', 'It was refused on the hardware wallet. Nothing has been changed.'),
  21781: new Failure('hardware-locked', 'The hardware wallet is locked: unlock it.'),
  26632: new Failure(
    'hardware-blind',
    "The wallet doesn't know this transaction: allow blind signing in its Solana app.",
  ),
};

async function answered<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (cause) {
    const { statusCode } = cause as { statusCode?: number };
    const known = STATUS[statusCode ?? 0];
    if (known !== undefined) throw known;
    if (statusCode !== undefined) {
      const code = `0x${statusCode.toString(16)}`;
      const sentence = `The hardware wallet answered ${code}: open its Solana app, and bring it up to date.`;
      throw new Failure('hardware-refused', sentence, { cause });
    }
    throw noDevice(cause);
  }
}

const noDevice = (cause: unknown): Failure =>
  new Failure(
    'hardware-missing',
    'No hardware wallet answers: connect it, unlock it and open its Solana app. On Linux it takes the udev rules of its maker.',
    { cause },
  );
