import type { OutboxTransaction } from '@payouts/client';
import { systemTime } from '@payouts/client';
import {
  type Blockhash,
  compileTransaction,
  createTransactionMessage,
  generateKeyPairSigner,
  getBase64EncodedWireTransaction,
  type KeyPairSigner,
  partiallySignTransaction,
  pipe,
  type Signature,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
  type Transaction,
} from '@solana/kit';
import { beforeAll, describe, expect, it } from 'vitest';
import { type BrowserParts, browserOutbox } from '../src/sending/browserOutbox.ts';
import { NotTheTransaction, signedCopy } from '../src/sending/handOut.ts';

/** A browser's storage and locks over several tabs. */
function browser() {
  const stored = new Map<string, string>();
  const held = new Map<string, object>();
  const storage = {
    get length() {
      return stored.size;
    },
    key: (place: number) => [...stored.keys()][place] ?? null,
    getItem: (name: string) => stored.get(name) ?? null,
    setItem: (name: string, text: string) => void stored.set(name, text),
    removeItem: (name: string) => void stored.delete(name),
  } as unknown as BrowserParts['storage'];
  return () => {
    const tab = {};
    const locks = {
      query: async () => ({ held: [...held.keys()].map((name) => ({ name })) }),
      request: async (name: string, work: () => Promise<void>) => {
        held.set(name, tab);
        await work();
        held.delete(name);
      },
    } as unknown as BrowserParts['locks'];
    const close = () => {
      for (const [name, of] of held) if (of === tab) held.delete(name);
    };
    return { kept: browserOutbox({ storage, locks }), close };
  };
}

const KEPT = {
  wire: 'AQID' as OutboxTransaction['wire'],
  signature: 'signature-of-a-test' as Signature,
  lastValidBlockHeight: 12_345_678_901_234_567_890n,
  signer: 'somebody' as OutboxTransaction['signer'],
  isWhole: true,
  about: undefined,
  ledger: 'ledger',
  action: 'deposit',
};

describe('what a tab sends', () => {
  it('is another tab’s to look after only when the tab is gone, and nobody’s once its end is known', async () => {
    const open = browser();
    const [first, second] = [open(), open()];
    await first.kept.put(KEPT);
    expect(await second.kept.orphans()).toEqual([]);
    first.close();
    expect(await second.kept.orphans()).toEqual([KEPT]);
    await second.kept.drop(KEPT.signature);
    expect(await second.kept.orphans()).toEqual([]);
  });

  it('gives its place back when its end is known', async () => {
    const tab = browser()();
    await tab.kept.put(KEPT);
    await tab.kept.drop(KEPT.signature);
    await systemTime.pause(0);
    await tab.kept.put({ ...KEPT, about: 'more' });
    tab.close();
    expect(await tab.kept.orphans()).toEqual([{ ...KEPT, about: 'more' }]);
  });
});

describe('a transaction that is signed elsewhere', () => {
  let signer: KeyPairSigner;
  let other: KeyPairSigner;
  beforeAll(async () => {
    [signer, other] = [await generateKeyPairSigner(), await generateKeyPairSigner()];
  });
  const draft = (lastValidBlockHeight = 1n, blockhash = '4vJ9JU1bJJE96FWSJKvHsmmFADCg4gpZQff4P3bkLKi') =>
    compileTransaction(
      pipe(
        createTransactionMessage({ version: 0 }),
        (message) => setTransactionMessageFeePayer(signer.address, message),
        (message) =>
          setTransactionMessageLifetimeUsingBlockhash(
            { blockhash: blockhash as Blockhash, lastValidBlockHeight },
            message,
          ),
      ),
    );
  const textOf = (transaction: Transaction) => getBase64EncodedWireTransaction(transaction);
  const handedOut = () => ({ wire: textOf(draft()) });

  it('is taken back with its signature, however the text is wrapped', async () => {
    const signed = textOf(await partiallySignTransaction([signer.keyPair], draft()));
    const wrapped = `  ${signed.slice(0, 40)}\n${signed.slice(40)}\n`;
    expect((await signedCopy(handedOut(), wrapped)).signatures[signer.address]).toBeTruthy();
  });

  it.each([
    ['text that is none', async () => 'hello'],
    ['nothing', async () => ''],
    ['the same without a signature', async () => textOf(draft())],
    [
      'another transaction',
      async () =>
        textOf(
          await partiallySignTransaction([signer.keyPair], draft(1n, 'EkSnNWid2cvwEVnVx9aBqawnmiCNiDgp3gUdkDPTKN1N')),
        ),
    ],
    [
      'the signature of somebody else',
      async () => {
        const transaction = draft();
        const [signatures] = await other.signMessages([
          { content: new Uint8Array(transaction.messageBytes as unknown as Uint8Array), signatures: {} },
        ]);
        const signature = signatures?.[other.address] ?? null;
        return textOf({ ...transaction, signatures: { [signer.address]: signature } });
      },
    ],
  ])('is refused: %s', async (_, pasted) => {
    await expect(signedCopy(handedOut(), await pasted())).rejects.toThrow(NotTheTransaction);
  });
});
