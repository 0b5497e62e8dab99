import {
  askForParts,
  type FreshWallet,
  leavingText,
  nextSizeText,
  type OwnToken,
  planRound,
  type RoundPlan,
  type TokenRounds,
  whyNoPart,
} from '@payouts/client';
import { Notice } from '@payouts/pages/parts/Notice';
import { href } from '@payouts/pages/router';
import { useTime } from '@payouts/pages/useTime';
import { useEffect, useState } from 'preact/hooks';
import type { Account } from '../account.ts';
import { nextFresh } from '../freshWallets.ts';
import { readMoney } from '../money.ts';
import { CrowdNotice, FreshItems } from '../parts/inRounds.tsx';
import { Trouble } from '../parts/Trouble.tsx';
import { useAction } from '../parts/useAction.ts';
import { partsText, roundTimeText, withName } from '../words.ts';

type Props = { readonly token: OwnToken; readonly account: Account };

/** Takes equal parts out, which leave in a round with others'. */
export function WithdrawInRound({ token, account: own }: Props) {
  const { error, result: rounds, run } = useAction<TokenRounds>();
  useEffect(() => run(() => own.client.rounds(token.mint)), [token.mint]);
  if (rounds === undefined) return <Trouble error={error} />;
  if (rounds.size === null) return <p>There are no rounds of {token.name} yet. You can take it out in one piece.</p>;
  return <Planned token={token} account={own} rounds={rounds} size={rounds.size} />;
}

type PlannedProps = Props & { readonly rounds: TokenRounds; readonly size: bigint };
/** A plan, and the fresh wallets that it goes to once their owner has signed for them. */
type Begun = { readonly plan: RoundPlan; readonly wallets: readonly FreshWallet[] };

/** What will happen, among how many, and the buttons that have it done. */
function Planned({ token, account: own, rounds, size }: PlannedProps) {
  const time = useTime();
  const choosing = useAction();
  const asking = useAction<true>();
  // What is asked for is shown as it was planned: the balance is another one by then.
  const [begun, setBegun] = useState<Begun>();
  const plan = begun?.plan ?? planRound(token, size, 'all');
  if (plan.parts === 0) return <Nothing token={token} size={size} />;
  if (asking.result) return <Done plan={plan} token={token} />;
  const choose = async () => setBegun({ plan, wallets: await nextFresh(own, plan.parts) });
  const ask = async ({ wallets }: Begun): Promise<true> => {
    await askForParts(own.client, plan.from, { size, wallets: wallets.map(({ address }) => address) });
    void readMoney(time);
    return true;
  };
  const { isBusy } = begun === undefined ? choosing : asking;
  const name = begun === undefined ? 'Choose fresh wallets' : `Take out ${withName(plan.total, token)}`;
  return (
    <>
      <Effects token={token} plan={plan} rounds={rounds} wallets={begun?.wallets ?? []} />
      <Trouble error={choosing.error ?? asking.error} />
      <button
        type="button"
        class="primary"
        disabled={isBusy}
        onClick={() => (begun === undefined ? choosing.run(choose) : asking.run(() => ask(begun)))}
      >
        {isBusy ? 'Look into your wallet …' : name}
      </button>
      <p class="faint small">
        Your wallet makes the <a href={href('wallets')}>fresh wallets</a> and finds them again: it signs a text for
        that, twice the first time. Then it asks once for each ten parts.
      </p>
    </>
  );
}

type EffectsProps = {
  readonly token: OwnToken;
  readonly plan: RoundPlan;
  readonly rounds: TokenRounds;
  readonly wallets: readonly FreshWallet[];
};

function Effects({ token, plan, rounds, wallets }: EffectsProps) {
  const nextSize = nextSizeText(rounds, (baseUnits) => withName(baseUnits, token), roundTimeText);
  return (
    <section aria-labelledby="effects">
      <h2 id="effects">What will happen</h2>
      <ul class="effects">
        <li>
          {withName(plan.total, token)} go out in {partsText(plan.parts)} of {withName(plan.size, token)}, each to a
          fresh wallet of yours.
        </li>
        <FreshItems wallets={wallets} />
        <li>{leavingText(rounds, plan, roundTimeText)}</li>
        {nextSize !== undefined && <li>{nextSize}</li>}
        <li>{withName(plan.rest, token)} stay in your private balance.</li>
        <li>It costs you nothing, and you need no SOL. Your employer does not learn of it.</li>
      </ul>
      <CrowdNotice rounds={rounds} parts={plan.parts} />
    </section>
  );
}

function Nothing({ token, size }: { readonly token: OwnToken; readonly size: bigint }) {
  const part = withName(size, token);
  const why = {
    nothing: 'There is nothing to take out.',
    'below-part': `You have less than a part of ${part}: it stays until your next pay. You can take it out in one piece.`,
    'parts-waiting': 'No more parts can wait at a time. Those that wait leave first.',
  };
  return <p>{why[whyNoPart(token, size)]}</p>;
}

const Done = ({ plan, token }: { readonly plan: RoundPlan; readonly token: OwnToken }) => (
  <Notice kind="good" title={`${withName(plan.total, token)} will be paid`}>
    <a href={href('')}>Your money</a> shows when, and lets you cancel it.
  </Notice>
);
