// npm run coordinator: the service alone, with the settings of the environment.
import { install, root, run, typescript } from './setup.mjs';

install();
process.exit(run(process.execPath, [...typescript, `${root}/packages/coordinator/src/main.ts`]));
