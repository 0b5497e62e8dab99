import { isIPv4 } from 'node:net';

/** Whether a host, as a URL or a setting writes it, is a name or an address of this machine alone. */
export const isLoopbackHost = (host: string): boolean =>
  ['localhost', '::1', '[::1]'].includes(host.toLowerCase()) || (isIPv4(host) && host.startsWith('127.'));

/** Whether an address is this machine's. */
export const isLoopbackUrl = (url: string): boolean => isLoopbackHost(new URL(url).hostname);
