import { heldOf, type OwnToken, standingParts } from '@payouts/client';
import { Empty } from '@payouts/pages/parts/Notice';
import { Time } from '@payouts/pages/parts/Time';
import { href } from '@payouts/pages/router';
import { useTime } from '@payouts/pages/useTime';
import { money, moneyError, readMoney } from '../money.ts';
import { Trouble } from '../parts/Trouble.tsx';
import { orderText, standingText, withName } from '../words.ts';
import { UnderWay } from './UnderWay.tsx';

/** What is theirs, and what is on its way. */
export function Money() {
  const { value } = money;
  return (
    <>
      <h1>Your money</h1>
      <Trouble error={moneyError.value} />
      {value === undefined && moneyError.value === undefined && (
        <p class="loading" role="status">
          Reading your balance …
        </p>
      )}
      {value?.tokens.length === 0 && (
        <Empty title="Nobody has paid this wallet here yet.">
          <p class="faint">
            Is it the wallet whose address you gave to your employer? Sign out and choose another one.
          </p>
        </Empty>
      )}
      {value?.tokens.map((token) => (
        <Balance key={token.mint} token={token} />
      ))}
      {value !== undefined && (
        <p class="faint small">
          Last updated <Time at={value.at} as="local" /> · <a href={href('wallets')}>Your fresh wallets</a> ·{' '}
          <a href={href('notices')}>Get told by e-mail</a> · <a href={href('address')}>Be paid at another address</a>
        </p>
      )}
    </>
  );
}

function Balance({ token }: { readonly token: OwnToken }) {
  const time = useTime();
  const held = heldOf(token);
  const orders = token.balances.flatMap(({ order }) => (order === null ? [] : [order]));
  return (
    <section class="panel" aria-label={token.name}>
      <p class="amount">{withName(held, token)}</p>
      <p class="faint">can be taken out now</p>
      {orders.map((order) => (
        <p key={order.threshold} class="small">
          Standing order: {orderText(order, token)}, to <code class="break">{order.wallet}</code>.
        </p>
      ))}
      {standingParts(token).map((parts) => (
        <p key={parts.size} class="small">
          {standingText(parts, token)}
        </p>
      ))}
      <p class="actions">
        {held > 0n && (
          <a class="button primary" href={href('withdraw', { token: token.mint })}>
            Take out {token.name}
          </a>
        )}
        <a href={href('inside', { token: token.mint })}>Pay inside</a>
        <a href={href('order', { token: token.mint })}>{orders.length === 0 ? 'Set a standing order' : 'Change it'}</a>
      </p>
      <UnderWay token={token} onChange={() => void readMoney(time)} />
    </section>
  );
}
