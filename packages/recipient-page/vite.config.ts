import { pageConfig } from '@payouts/pages/vite';

// By relative addresses, so that it can be served from any folder of any host.
export default pageConfig('./');
