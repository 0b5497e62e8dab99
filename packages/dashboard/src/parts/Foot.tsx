import { href } from '../router.ts';

/** Where else to read. */
export const Foot = () => (
  <footer class="foot">
    <div class="inner">
      <span>Names and amounts are not on this page: only an employer’s own wallet opens them.</span>
      <span>
        <a href={href('about')}>What is public</a> · <a href="/api/docs">API</a>
      </span>
    </div>
  </footer>
);
