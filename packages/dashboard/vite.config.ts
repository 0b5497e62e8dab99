import { pageConfig } from '@payouts/pages/vite';

export default pageConfig('/', { mostAtFirst: 55_000 });
