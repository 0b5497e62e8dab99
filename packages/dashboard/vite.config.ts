import { pageConfig } from '@payouts/pages/vite';

export default pageConfig('/');
