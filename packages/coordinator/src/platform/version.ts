import { createRequire } from 'node:module';
import { PACKAGE_FOLDER } from './packageFolder.ts';

/** The version of this service. */
export const { version } = createRequire(PACKAGE_FOLDER)('./package.json') as { version: string };
