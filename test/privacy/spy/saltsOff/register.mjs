// node --import .../register.mjs: the same program with salts and blinds of zeros. For tests alone; no product code knows of it.
import { register } from 'node:module';

register('./hooks.mjs', import.meta.url);
