// Loaded before each test file: what properties are tried with follows from the one seed.
import fc from 'fast-check';
import { seed } from './seed.ts';

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed });
