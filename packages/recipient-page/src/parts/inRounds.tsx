import { crowdText, type FreshWallet, type TokenRounds } from '@payouts/client';
import { Notice } from '@payouts/pages/parts/Notice';
import { roundTimeText } from '../words.ts';

/** Among how many so many parts leave, and whether that hides them. */
export function CrowdNotice({ rounds, parts }: { readonly rounds: TokenRounds; readonly parts: number }) {
  const crowd = crowdText(rounds, parts, roundTimeText);
  const [title = '', ...more] = crowd.sentences;
  return (
    <Notice kind={crowd.isHidden ? 'info' : 'warn'} title={title}>
      {more.join(' ')}
    </Notice>
  );
}

/** Fresh wallets that parts go to, as items of a list. */
export const FreshItems = ({ wallets }: { readonly wallets: readonly FreshWallet[] }) => (
  <>
    {wallets.map(({ index, address }) => (
      <li key={index}>
        Your fresh wallet {index}, <code class="break">{address}</code>.
      </li>
    ))}
  </>
);
