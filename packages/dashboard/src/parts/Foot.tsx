import { href } from '@payouts/pages/router';

/** Where else to read. */
export const Foot = () => (
  <footer class="foot">
    <div class="inner">
      <span>Who is paid how much is shown to an employer’s own wallet alone.</span>
      <span>
        <a href={href('about')}>What is public</a> · <a href="/recipient/">For recipients</a> ·{' '}
        <a href="/api/docs">API</a>
      </span>
    </div>
  </footer>
);
