import { pageConfig } from '@payouts/pages/vite';

// By relative addresses, so that it can be served from any folder of any host. Proof files have a page of their own, which may ask any ledger.
export default pageConfig('./', { pages: ['index.html', 'redeem.html'], most: 158_000 });
