import { type ReceivedPayment, requestAddressChange } from '@payouts/client';
import { Fact, Facts } from '@payouts/pages/parts/Facts';
import { Empty, Notice } from '@payouts/pages/parts/Notice';
import { Time } from '@payouts/pages/parts/Time';
import { messageSigner } from '@payouts/pages/session/signers';
import type { ConnectedWallet } from '@payouts/pages/session/wallets';
import { useTime } from '@payouts/pages/useTime';
import type { Address } from '@solana/kit';
import { useEffect, useState } from 'preact/hooks';
import { type Account, account } from '../account.ts';
import { readOwn, sendBy } from '../api.ts';
import { Trouble } from '../parts/Trouble.tsx';
import { useAction } from '../parts/useAction.ts';
import { Wallets } from '../parts/Wallets.tsx';

/** A vault that pays whoever is signed in, and what was paid from it last. */
type Payer = { readonly vault: Address; readonly payment: ReceivedPayment };

/** Asks an employer to pay another wallet from their next list on; both wallets sign it. */
export function Elsewhere() {
  const { value: own } = account;
  const { error, result: payers, run } = useAction<readonly Payer[]>();
  useEffect(() => {
    if (own !== undefined) run(() => payersOf(own));
  }, [own]);
  return (
    <>
      <h1>Be paid at another address</h1>
      <p class="lead">
        Ask your employer to pay another wallet of yours. Both wallets sign it, so that nobody else can ask in your
        name. Nothing changes before your employer has taken it.
      </p>
      <Trouble error={error} />
      {payers?.length === 0 && <Empty title="Nobody has paid this wallet yet, so there is nobody to ask." />}
      {own !== undefined && payers?.[0] !== undefined && <Asking own={own} payers={payers} first={payers[0]} />}
    </>
  );
}

/** Whose vaults have paid them, newest first; as far as the newest page of their history goes. */
async function payersOf({ client }: Account): Promise<readonly Payer[]> {
  const { items } = await client.history({});
  const payers = new Map<Address, Payer>();
  const seen = new Set<Address>();
  for (const payment of items) {
    if (payment.kind !== 'payment' || seen.has(payment.schedulePda)) continue;
    seen.add(payment.schedulePda);
    const { vault } = JSON.parse(await readOwn(`/api/schedules/${payment.schedulePda}`)) as { readonly vault: Address };
    if (!payers.has(vault)) payers.set(vault, { vault, payment });
  }
  return [...payers.values()];
}

type Props = { readonly own: Account; readonly payers: readonly Payer[]; readonly first: Payer };

function Asking({ own, payers, first }: Props) {
  const time = useTime();
  const [chosen, setChosen] = useState(first);
  const choosing = useAction<ConnectedWallet>();
  const asking = useAction<string>();
  const { wallet } = own;
  const { result: next } = choosing;
  if (asking.result !== undefined) return <Asked check={asking.result} present={wallet.address} />;
  const ask = (other: ConnectedWallet) =>
    asking.run(() =>
      requestAddressChange(sendBy(wallet, time), messageSigner(wallet), messageSigner(other), {
        schedulePda: chosen.payment.schedulePda,
        vault: chosen.vault,
        askedAt: time.now(),
      }),
    );
  return (
    <>
      {payers.length > 1 && <Choice payers={payers} chosen={chosen} onChoose={setChosen} />}
      <Facts>
        <Fact name="Paid today at">
          <code class="break">{wallet.address}</code>
        </Fact>
        <Fact name="Your employer’s vault">
          <code class="break">{chosen.vault}</code>
        </Fact>
        <Fact name="Has paid you last">
          <Time at={chosen.payment.at} as="local" />
        </Fact>
      </Facts>
      <section class="panel" aria-labelledby="new-wallet">
        <h2 id="new-wallet">{next === undefined ? 'Choose the new wallet' : 'Ask to be paid at this address?'}</h2>
        {next === undefined ? (
          <Wallets isBusy={choosing.isBusy} onChoose={(other) => choosing.run(() => other.connect())} />
        ) : (
          <Next
            next={next}
            isSame={next.address === wallet.address}
            isBusy={asking.isBusy}
            onAsk={() => ask(next)}
            onBack={choosing.clear}
          />
        )}
        <Trouble error={choosing.error ?? asking.error} />
      </section>
    </>
  );
}

type NextProps = {
  readonly next: ConnectedWallet;
  /** Whether it is the one that is paid today. */
  readonly isSame: boolean;
  readonly isBusy: boolean;
  readonly onAsk: () => void;
  readonly onBack: () => void;
};

const Next = ({ next, isSame, isBusy, onAsk, onBack }: NextProps) => (
  <>
    <p>
      <code class="break">{next.address}</code>
    </p>
    {isSame && (
      <Notice kind="warn" title="This is the wallet that is paid today.">
        Choose another wallet, or another account in this one.
      </Notice>
    )}
    <p class="actions">
      {!isSame && (
        <button type="button" class="primary" disabled={isBusy} onClick={onAsk}>
          {isBusy ? 'Look into your wallets …' : 'Ask for it'}
        </button>
      )}
      <button type="button" class="quiet" disabled={isBusy} onClick={onBack}>
        Choose another wallet
      </button>
    </p>
    <p class="faint small">
      Both wallets sign one text that names this employer and both addresses; the one that is paid today signs the
      request as well. It moves no money.
    </p>
  </>
);

type ChoiceProps = Pick<Props, 'payers'> & { readonly chosen: Payer; readonly onChoose: (payer: Payer) => void };

const Choice = ({ payers, chosen, onChoose }: ChoiceProps) => (
  <div class="field">
    <label for="payer">Whom to ask</label>
    <select
      id="payer"
      value={chosen.vault}
      onChange={(event) => onChoose(payers.find(({ vault }) => vault === event.currentTarget.value) ?? chosen)}
    >
      {payers.map(({ vault }) => (
        <option key={vault} value={vault}>
          the employer of vault {vault}
        </option>
      ))}
    </select>
  </div>
);

const Asked = ({ check, present }: { readonly check: string; readonly present: Address }) => (
  <>
    <Notice kind="good" title="Asked. Your employer sees it, and decides.">
      Tell them this code by telephone or face to face, so that they know that it was you.
    </Notice>
    <p class="panel code">
      <strong>{check}</strong>
    </p>
    <h2>What happens next</h2>
    <p>Until your employer has taken it into their next list, you are paid where you are paid today.</p>
    <p>
      What was paid before stays with <code class="break">{present}</code>: take it out with that wallet.
    </p>
    <p>Your employer can refuse it, and is asked for 90 days. If you ask again, the new request takes its place.</p>
  </>
);
