import {
  askForParts,
  type FreshWallet,
  type OwnToken,
  planStanding,
  standingParts,
  type TokenRounds,
} from '@payouts/client';
import { Notice } from '@payouts/pages/parts/Notice';
import { useTime } from '@payouts/pages/useTime';
import { useEffect, useState } from 'preact/hooks';
import type { Account } from '../account.ts';
import { nextFresh } from '../freshWallets.ts';
import { readMoney } from '../money.ts';
import { CrowdNotice, FreshItems } from '../parts/inRounds.tsx';
import { Trouble } from '../parts/Trouble.tsx';
import { useAction } from '../parts/useAction.ts';
import { partsText, standingText, withName } from '../words.ts';

type Props = { readonly token: OwnToken; readonly account: Account };

/** Has pay leave in rounds by itself: parts to fresh wallets stand ready for it. */
export function StandingRounds({ token, account: own }: Props) {
  const { error, result: rounds, run } = useAction<TokenRounds>();
  useEffect(() => run(() => own.client.rounds(token.mint)), [token.mint]);
  return (
    <section class="panel" aria-labelledby="in-rounds">
      <h2 id="in-rounds">In rounds, to fresh wallets</h2>
      <Trouble error={error} />
      {standingParts(token).map((parts) => (
        <p key={parts.size}>{standingText(parts, token)}</p>
      ))}
      {rounds?.size === null && <p>There are no rounds of {token.name} yet.</p>}
      {rounds !== undefined && rounds.size !== null && (
        <Parts token={token} account={own} rounds={rounds} size={rounds.size} />
      )}
    </section>
  );
}

type PartsProps = Props & { readonly rounds: TokenRounds; readonly size: bigint };

function Parts({ token, account: own, rounds, size }: PartsProps) {
  const time = useTime();
  const { isBusy, error, result, run } = useAction<string | undefined>();
  const [wallets, setWallets] = useState<readonly FreshWallet[]>([]);
  const from = planStanding(token);
  const count = from.reduce((sum, { parts }) => sum + parts, 0);
  const standing = token.balances.flatMap((balance) => balance.standing.map(({ id }) => ({ balance, id })));
  const choose = async () => {
    setWallets(await nextFresh(own, count));
    return undefined;
  };
  const stand = async () => {
    await askForParts(own.client, from, { size, wallets: wallets.map(({ address }) => address), stands: true });
    setWallets([]);
    await readMoney(time);
    return 'They stand ready';
  };
  const end = async () => {
    for (const { balance, id } of standing) await own.client.cancel(balance, id);
    await readMoney(time);
    return 'None stands ready any more';
  };
  const isChosen = wallets.length > 0;
  const name = isChosen ? `Have ${partsText(count)} stand ready` : 'Choose fresh wallets';
  return (
    <>
      {count > 0 && (
        <>
          <p>
            Have {partsText(count)} of {withName(size, token)} stand ready, each with a fresh wallet. Each waits for a
            round as soon as your pay covers it, without you.
          </p>
          {isChosen && (
            <ul class="effects">
              <FreshItems wallets={wallets} />
            </ul>
          )}
          <CrowdNotice rounds={rounds} parts={count} />
        </>
      )}
      <Trouble error={error} />
      {result !== undefined && <Notice kind="good" title={result} />}
      <p class="actions">
        {count > 0 && (
          <button type="button" disabled={isBusy} onClick={() => run(isChosen ? stand : choose)}>
            {isBusy ? 'Look into your wallet …' : name}
          </button>
        )}
        {standing.length > 0 && (
          <button type="button" class="quiet" disabled={isBusy} onClick={() => run(end)}>
            Cancel them
          </button>
        )}
      </p>
    </>
  );
}
