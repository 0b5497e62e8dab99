import { NO_DAILY_LIMIT } from '@payouts/client';
import {
  bookSurplus,
  closeVault,
  confirmApproval,
  depositTokens,
  Failure,
  findPolicy,
  type OwnVault,
  ownVault,
  type Policy,
  policySentences,
  readTokens,
  removeApproval,
  setApproval,
  surplusOf,
  type WithdrawalPlan,
  withdrawTokens,
  withName,
} from '@payouts/employer';
import { Address } from '@payouts/pages/parts/Address';
import { Fact, Facts } from '@payouts/pages/parts/Facts';
import { Notice } from '@payouts/pages/parts/Notice';
import { href } from '@payouts/pages/router';
import { createNoopSigner, type Address as LedgerAddress } from '@solana/kit';
import { useEffect, useState } from 'preact/hooks';
import { useResource } from '../../api/resource.ts';
import type { Acting } from '../../employer/acting.ts';
import { SignedInOnly } from '../../parts/SignedInOnly.tsx';
import { Loaded } from '../../parts/Trouble.tsx';
import { ActionDialog, type AskedAction, type PlannedAction } from './ActionDialog.tsx';
import { Books } from './Books.tsx';
import { Field } from './Fields.tsx';
import { OnLedger } from './OnLedger.tsx';

/** The employer's vault of a token: its money to the last unit, what goes in and out, and who approves. */
export function Vault({ mint }: { readonly mint: string }) {
  const [token, setToken] = useState<string>();
  return (
    <>
      <p class="crumbs">
        <a href={href('mine')}>My payrolls</a>
      </p>
      <h1>{token === undefined ? 'Vault' : `Vault of ${token}`}</h1>
      <SignedInOnly who="the wallet that owns the vault">
        {() => (
          <OnLedger>{(acting) => <Own acting={acting} mint={mint as LedgerAddress} onToken={setToken} />}</OnLedger>
        )}
      </SignedInOnly>
    </>
  );
}

type Read = { readonly own: OwnVault; readonly policy: Policy | undefined };

type OwnProps = {
  readonly acting: Acting;
  readonly mint: LedgerAddress;
  readonly onToken: (name: string) => void;
};

function Own({ acting, mint, onToken }: OwnProps) {
  const vault = useResource(`own vault ${mint}`, async (): Promise<Read> => {
    const own = await ownVault(acting, mint);
    return { own, policy: await findPolicy(acting.ledgers, own.vault) };
  });
  const [action, setAction] = useState<AskedAction>();
  const [isGone, setGone] = useState(false);
  useEffect(() => {
    if (vault.data !== undefined) onToken(vault.data.own.token.name);
  }, [vault.data]);
  if (isGone) return <Notice kind="good" title="The vault is closed. What it held is in your wallet." />;
  const done = () => {
    if (action?.name === CLOSE) setGone(true);
    else vault.refresh();
  };
  return (
    <Loaded of={vault} what="your vault">
      {({ own, policy }) => (
        <>
          <Money own={own} />
          <MoveMoney own={own} onAction={setAction} />
          <Approver own={own} policy={policy} onAction={setAction} />
          <Books own={own} />
          <ActionDialog acting={acting} action={action} onDone={done} onClose={() => setAction(undefined)} />
        </>
      )}
    </Loaded>
  );
}

const CLOSE = 'Close the vault';

/** What was deposited, where it is, and what is left. */
function Money({ own: { vault, token } }: { readonly own: OwnVault }) {
  const { deposited, withdrawn, paid, open, reserved } = vault.vault;
  const amounts = [
    ['Available', vault.available],
    ['Reserved for your payrolls', reserved],
    ['In open pay runs', open],
    ['Paid', paid],
    ['Withdrawn', withdrawn],
    ['Deposited', deposited],
  ] as const;
  return (
    <>
      {vault.violations.map(({ sentence }) => (
        <Notice key={sentence} kind="bad" title={sentence}>
          The vault’s books don’t balance. Tell whoever runs the ledger program.
        </Notice>
      ))}
      <Facts>
        {amounts.map(([name, amount]) => (
          <Fact key={name} name={name}>
            {withName(amount, token)}
          </Fact>
        ))}
        <Fact name="Vault">
          <Address address={vault.address} copy what="vault’s address" />
        </Fact>
        <Fact name="Token’s mint">
          <Address address={token.mint} copy what="mint" />
        </Fact>
      </Facts>
    </>
  );
}

/** Base units of what somebody has written. Throws `Failure` amount-invalid. */
function amountOf(written: string, { token }: OwnVault): bigint {
  const amount = readTokens(written, token.decimals);
  if (typeof amount === 'bigint') return amount;
  throw new Failure('amount-invalid', amount);
}

/** A withdrawal, which the approver signs, too, above the limits. */
async function withdrawal(own: OwnVault, amount: bigint): Promise<PlannedAction> {
  const { approver, stepsFor, ...change }: WithdrawalPlan = await withdrawTokens(own, amount);
  if (approver === undefined) return { ...change, steps: await stepsFor(undefined) };
  const effects = [...change.effects, `That is above what you may take out alone: ${approver} signs, too.`];
  return { ...change, effects, coSigner: approver, steps: await stepsFor(createNoopSigner(approver)) };
}

type ActionProps = { readonly own: OwnVault; readonly onAction: (action: AskedAction) => void };

function MoveMoney({ own, onAction }: ActionProps) {
  const [amount, setAmount] = useState('');
  const surplus = surplusOf(own.vault);
  const deposit = (event: Event) => {
    event.preventDefault();
    onAction({ name: 'Deposit', plan: async () => depositTokens(own, amountOf(amount, own)) });
  };
  const withdraw = (isAll: boolean) =>
    onAction({
      name: 'Withdraw',
      plan: async () => withdrawal(own, isAll ? own.vault.available : amountOf(amount, own)),
    });
  return (
    <section aria-labelledby="move">
      <h2 id="move">Move money</h2>
      {surplus > 0n && (
        <Notice kind="info" title={`${withName(surplus, own.token)} were sent here without a deposit.`}>
          <button type="button" onClick={() => onAction({ name: 'Book it', plan: async () => bookSurplus(own) })}>
            Book it
          </button>
        </Notice>
      )}
      <form class="fields" onSubmit={deposit}>
        <Field name={`Amount in ${own.token.name}`}>
          <input
            inputMode="decimal"
            autocomplete="off"
            placeholder="1,250.50"
            value={amount}
            onInput={(event) => setAmount(event.currentTarget.value)}
          />
        </Field>
        <p class="actions">
          <button type="submit" disabled={amount.trim() === ''}>
            Deposit
          </button>
          <button type="button" disabled={amount.trim() === ''} onClick={() => withdraw(false)}>
            Withdraw
          </button>
          <button type="button" disabled={own.vault.available === 0n} onClick={() => withdraw(true)}>
            Withdraw all that is available
          </button>
          <button type="button" onClick={() => onAction({ name: CLOSE, plan: () => closeVault(own) })}>
            {CLOSE}
          </button>
        </p>
      </form>
    </section>
  );
}

/** Who approves, above what. */
function Approver({ own, policy, onAction }: ActionProps & { readonly policy: Policy | undefined }) {
  const [wanted, setWanted] = useState({ approver: '', limit: '0', daily: '' });
  const limitOf = (written: string) => (/^0*$/.test(written.trim()) ? 0n : amountOf(written, own));
  const set = (event: Event) => {
    event.preventDefault();
    const plan = async () =>
      setApproval(own, {
        approver: wanted.approver.trim() as LedgerAddress,
        limit: limitOf(wanted.limit),
        dailyLimit: wanted.daily.trim() === '' ? NO_DAILY_LIMIT : limitOf(wanted.daily),
      });
    onAction({ name: 'Name the approver', plan });
  };
  const field = (name: keyof typeof wanted) => ({
    value: wanted[name],
    autocomplete: 'off',
    onInput: (event: { readonly currentTarget: HTMLInputElement }) =>
      setWanted({ ...wanted, [name]: event.currentTarget.value }),
  });
  const { address, vault } = own.vault;
  const confirm = () => confirmApproval(own, { address, owner: vault.employer, token: own.token, policy });
  return (
    <section aria-labelledby="approver">
      <h2 id="approver">Approver</h2>
      {policySentences(policy, own.token, own.timeText).map((sentence) => (
        <p key={sentence} class="break">
          {sentence}
        </p>
      ))}
      <form class="fields" onSubmit={set}>
        <Field name="Whose wallet approves">
          <input spellcheck={false} {...field('approver')} />
        </Field>
        <Field name="Above so much of a pay run or a withdrawal (0: everything)">
          <input inputMode="decimal" {...field('limit')} />
        </Field>
        <Field name="And above so much in a day (empty: any)">
          <input inputMode="decimal" {...field('daily')} />
        </Field>
        <p class="actions">
          <button type="submit" disabled={wanted.approver.trim() === ''}>
            Name the approver
          </button>
          {policy !== undefined && (
            <button
              type="button"
              onClick={() => onAction({ name: 'Remove the approver', plan: () => removeApproval(own) })}
            >
              Remove the approver
            </button>
          )}
          {policy?.change !== undefined && (
            <button type="button" onClick={() => onAction({ name: 'Confirm the change', plan: confirm })}>
              Confirm the change
            </button>
          )}
        </p>
      </form>
    </section>
  );
}
