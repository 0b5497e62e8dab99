import type { RedeemFault } from '@payouts/client';
import { amountText } from '@payouts/pages/format/amount';
import type { PageBase } from '@payouts/pages/ledgers';
import { Notice } from '@payouts/pages/parts/Notice';
import { Time } from '@payouts/pages/parts/Time';
import { type SendStage, sendWithWallet } from '@payouts/pages/sending/send';
import { WalletFailed } from '@payouts/pages/session/walletErrors';
import { type ConnectedWallet, wallets } from '@payouts/pages/session/wallets';
import type { Address, Instruction, Signature } from '@solana/kit';
import { useState } from 'preact/hooks';
import { Field } from '../parts/Field.tsx';
import { Trouble } from '../parts/Trouble.tsx';
import { useAction } from '../parts/useAction.ts';
import { walletFrom, withName } from '../words.ts';
import { type Owed, redeemAll, totals } from './owed.ts';

const SOL_DECIMALS = 9;

const FAULTS: Readonly<Record<RedeemFault, string>> = {
  'proof-unfit': 'The file holds no proof of this balance.',
  'proof-old':
    'The ledger holds a newer recording than this file. Use a newer file, or ask whoever ran the coordinator for a new proof.',
  'already-redeemed': 'This balance was taken out already.',
  'nothing-due': 'This balance was empty when it was recorded last.',
};

const STAGES: Readonly<Record<SendStage, string>> = {
  asking: 'Look into your wallet …',
  sending: 'Sending …',
  landing: 'Sent. A busy ledger needs up to a minute …',
  finality: 'Taken. It is final in some seconds …',
  done: 'Done.',
};

type Props = { readonly ledgers: PageBase; readonly owed: Owed };

/** What is due, and what takes it out. */
export function TakeOut({ ledgers, owed }: Props) {
  const due = totals(owed);
  const { loss, faults } = owed;
  return (
    <>
      {faults.map((fault) => (
        <Notice key={fault} kind="warn" title={FAULTS[fault]} />
      ))}
      {due.length > 0 && (
        <section class="panel" aria-labelledby="due">
          <h2 id="due">Due to you</h2>
          {due.map(({ token, amount }) => (
            <p key={token.mint} class="amount">
              {withName(amount, token)}
            </p>
          ))}
          {loss.state === 'none' && (
            <Notice kind="info" title="Nothing is lost: take your money out as usual.">
              This file is good. It is needed only if the execution layer is declared lost on the ledger.
            </Notice>
          )}
          {loss.state === 'declared' && (
            <Notice kind="warn" title="The execution layer is declared lost.">
              You can take your money out by this file from <Time at={loss.from} /> on.
            </Notice>
          )}
          {loss.state === 'lost' && <Form ledgers={ledgers} owed={owed} />}
        </section>
      )}
    </>
  );
}

/** A redemption with everything that it needs. */
type Ready = {
  readonly recipient: ConnectedWallet;
  readonly payer: ConnectedWallet;
  readonly wallet: Address;
  readonly transactions: readonly (readonly Instruction[])[];
  /** Lamports. */
  readonly cost: bigint;
};

function Form({ ledgers, owed }: Props) {
  const [to, setTo] = useState<string>(owed.recipient);
  const [own, setOwn] = useState('');
  const [payer, setPayer] = useState('');
  const preparing = useAction<Ready>();
  const read = walletFrom(to);
  const submit = (event: Event) => {
    event.preventDefault();
    if ('wrong' in read) return;
    preparing.run(async () => {
      const recipient = await connected(own);
      if (recipient.address !== owed.recipient) {
        throw new WalletFailed(`The file is for ${owed.recipient}, but that account is ${recipient.address}.`);
      }
      const paying = payer === '' || payer === own ? recipient : await connected(payer);
      const terms = { payer: paying.address, wallet: read.wallet };
      return { recipient, payer: paying, wallet: read.wallet, ...(await redeemAll(ledgers, owed, terms)) };
    });
  };
  return (
    <>
      <form onSubmit={submit}>
        <Field label="To wallet" value={to} onInput={setTo} wrong={'wrong' in read ? read.wrong : undefined} />
        <WalletChoice label="Wallet that the employer paid" value={own} onChange={setOwn} />
        <WalletChoice label="Wallet that pays the ledger’s fee" value={payer} onChange={setPayer} none="The same" />
        <button type="submit" disabled={preparing.isBusy || own === '' || 'wrong' in read}>
          {preparing.isBusy ? 'Preparing …' : 'Show what it takes'}
        </button>
        <Trouble error={preparing.error} />
      </form>
      {preparing.result !== undefined && <Confirm ledgers={ledgers} owed={owed} ready={preparing.result} />}
    </>
  );
}

async function connected(name: string): Promise<ConnectedWallet> {
  const wallet = wallets.value.find((each) => each.name === name);
  if (wallet === undefined) throw new WalletFailed('This wallet is gone. Choose another one.');
  return wallet.connect();
}

type ChoiceProps = {
  readonly label: string;
  readonly value: string;
  readonly onChange: (name: string) => void;
  readonly none?: string;
};

const WalletChoice = ({ label, value, onChange, none = 'Choose …' }: ChoiceProps) => (
  <label class="field">
    <span>{label}</span>
    <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
      <option value="">{none}</option>
      {wallets.value
        .filter(({ signsTransactions }) => signsTransactions)
        .map(({ name }) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
    </select>
  </label>
);

function Confirm({ ledgers, owed, ready }: Props & { readonly ready: Ready }) {
  const { recipient, payer, wallet, transactions, cost } = ready;
  const [stage, setStage] = useState<SendStage>();
  const { isBusy, error, result, run } = useAction<readonly Signature[]>();
  const take = () =>
    sendWithWallet(ledgers, payer, {
      steps: [transactions],
      others: payer.address === recipient.address ? [] : [recipient],
      action: `redeem ${owed.recipient}`,
      onStage: setStage,
    });
  if (result !== undefined) {
    return (
      <Notice kind="good" title="Your money is in your wallet.">
        Transaction <code class="break">{result.join(', ')}</code>
      </Notice>
    );
  }
  return (
    <section aria-labelledby="effects">
      <h2 id="effects">What will happen</h2>
      <ul class="effects">
        {totals(owed).map(({ token, amount }) => (
          <li key={token.mint}>
            {withName(amount, token)} go to <code class="break">{wallet}</code>, once and for all.
          </li>
        ))}
        <li>
          {payer.name} pays {amountText(cost, SOL_DECIMALS)} SOL: the ledger’s fee, and rent for what has to be noted
          there.
        </li>
        <li>Everybody can see on the ledger that your key takes it, and where it goes.</li>
      </ul>
      <Trouble error={error} />
      <button type="button" class="primary" disabled={isBusy} onClick={() => run(take)}>
        {isBusy ? STAGES[stage ?? 'asking'] : 'Take it out'}
      </button>
    </section>
  );
}
