import { href } from '@payouts/pages/router';
import { Lookup } from '../parts/Lookup.tsx';

export const NotHere = () => (
  <>
    <h1>There is no such page</h1>
    <p>
      The address behind # leads nowhere. <a href={href('')}>Go to the overview</a>, or look up a schedule.
    </p>
    <Lookup />
  </>
);
