import { setFlagsFromString } from 'node:v8';

// Imported first. The service lives long and works in bursts; V8's defaults would hold some 70 MB more for speed that a window,
// which waits for ledgers, doesn't show.
setFlagsFromString('--optimize-for-size');
setFlagsFromString('--max-semi-space-size=1');
setFlagsFromString('--semi-space-growth-factor=1');
