import type { FreshWallet } from '@payouts/client';
import { Address } from '@payouts/pages/parts/Address';
import { type Column, Table } from '@payouts/pages/parts/Table';
import { saveFile } from '@payouts/pages/saveFile';
import { getBase58Decoder } from '@solana/kit';
import { account } from '../account.ts';
import { ownFresh } from '../freshWallets.ts';
import { Trouble } from '../parts/Trouble.tsx';
import { useAction } from '../parts/useAction.ts';

type Found = Awaited<ReturnType<typeof ownFresh>>;
type Form = 'text' | 'file';

/** A recipient's fresh wallets, and the key of each. */
export function Fresh() {
  const { value: own } = account;
  const { isBusy, error, result, run } = useAction<Found>();
  return (
    <>
      <h1>Fresh wallets</h1>
      <p class="lead">
        Each was used once, so that nobody can tell that two are yours. Your wallet makes them by signing a text, and
        finds all of them again in any browser. Nothing of them is kept here, and no node is asked what they hold.
      </p>
      <Trouble error={error} />
      {result === undefined ? (
        <button
          type="button"
          class="primary"
          disabled={isBusy || own === undefined}
          onClick={() => own !== undefined && run(() => ownFresh(own))}
        >
          {isBusy ? 'Look into your wallet …' : 'Show them'}
        </button>
      ) : (
        <Used found={result} />
      )}
    </>
  );
}

function Used({ found: { used, wallets } }: { readonly found: Found }) {
  const { error, run } = useAction();
  const save = ({ index }: FreshWallet, form: Form) =>
    run(async () => {
      const key = await wallets.keyOf(index);
      const isText = form === 'text';
      const content = isText ? getBase58Decoder().decode(key) : JSON.stringify([...key]);
      saveFile(`wallet-${index}.${isText ? 'txt' : 'json'}`, content);
    });
  const columns: readonly Column<FreshWallet>[] = [
    { name: 'No.', class: 'number', show: ({ index }) => index },
    { name: 'Wallet', show: ({ address }) => <Address address={address} copy what="wallet" /> },
    {
      name: 'Its key',
      show: (wallet) =>
        (['text', 'file'] as const).map((form) => (
          <button key={form} type="button" class="quiet" onClick={() => save(wallet, form)}>
            {form === 'text' ? 'Text' : 'File'}
            <span class="hidden">: save the key of wallet {wallet.index}</span>
          </button>
        )),
    },
  ];
  if (used.length === 0) return <p>You have used none yet.</p>;
  return (
    <>
      <Trouble error={error} />
      <p>
        Wallet apps import a key as text, commands as a file. Whoever has it can spend what that wallet holds, and
        nothing else of yours. An app that has several of them tells its node that they are one person’s.
      </p>
      <Table rows={used} columns={columns} keyOf={({ index }) => index} />
    </>
  );
}
