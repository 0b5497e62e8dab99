import { SECRET_ADVICE, type WebhookWithSecret } from '@payouts/employer';
import { Copy } from '@payouts/pages/parts/Address';
import { Notice } from '@payouts/pages/parts/Notice';
import { Time } from '@payouts/pages/parts/Time';

/** The secret that a webhook's messages are signed with, once. */
export const Secret = ({ webhook: { secret, formerSecretUntil } }: { readonly webhook: WebhookWithSecret }) => (
  <>
    <Notice kind="good" title={SECRET_ADVICE}>
      {formerSecretUntil !== null && (
        <>
          The old one signs as well until <Time at={formerSecretUntil} as="local" />.
        </>
      )}
    </Notice>
    <p class="command">
      <code>{secret}</code> <Copy text={secret} what="the secret" />
    </p>
  </>
);
