import { href } from '@payouts/pages/router';

/** A place that is about a token which is not theirs, or not read yet. */
export const NoToken = ({ isRead }: { readonly isRead: boolean }) =>
  isRead ? (
    <p>
      You have no such token. <a href={href('')}>Your money</a>
    </p>
  ) : (
    <p class="loading" role="status">
      Reading your balance …
    </p>
  );
