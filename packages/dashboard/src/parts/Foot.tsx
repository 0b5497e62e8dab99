import { readDeployment } from '@payouts/pages/deployment';
import { href } from '@payouts/pages/router';
import { useEffect, useState } from 'preact/hooks';

/** Where else to read. */
export const Foot = () => (
  <footer class="foot">
    <div class="inner">
      <span>Who is paid how much is shown to an employer’s own wallet alone.</span>
      <span>
        <a href={href('about')}>What is public</a> · <ForRecipients />
        <a href="/api/docs">API</a>
      </span>
    </div>
  </footer>
);

/** The way to the recipients' page, where it is served. */
function ForRecipients() {
  const [at, setAt] = useState<string | null>(null);
  useEffect(() => {
    readDeployment().then(
      ({ recipientPage }) => setAt(recipientPage),
      () => undefined,
    );
  }, []);
  if (at === null) return null;
  return (
    <>
      <a href={at}>For recipients</a> ·{' '}
    </>
  );
}
