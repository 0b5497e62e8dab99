import { createHash } from 'node:crypto';
import { isIPv6 } from 'node:net';

const MAPPED_V4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;
/** Groups of 16 bits that name a network of IPv6; the rest is the subscriber's own to change at will. */
const NETWORK_GROUPS = 4;

/** The first 64 bits of an IPv6 address as text. */
function networkOf(address: string): string {
  const [head = '', tail] = address.split('%', 1)[0]?.toLowerCase().split('::') ?? [];
  const groups = (text: string | undefined) => (text ? text.split(':') : []);
  const before = groups(head);
  const after = groups(tail);
  const zeros = tail === undefined ? 0 : 8 - before.length - after.length;
  return [...before, ...Array<string>(Math.max(zeros, 0)).fill('0'), ...after]
    .slice(0, NETWORK_GROUPS)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':');
}

/** Some proxies write a port behind the address, and brackets around one of IPv6: each connection would be another client. */
const withoutPort = (address: string): string =>
  /^\[(.*)\](:\d+)?$/.exec(address)?.[1] ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(address)?.[1] ?? address;

/**
 * Whose requests are counted together: one IPv4 address, or one IPv6 network of 64 bits. A hash, so that whoever lists the keys of
 * a shared store reads no client's address there; it does not withstand trying out every address.
 */
export function clientKey(address: string): string {
  const bare = withoutPort(address);
  const client = MAPPED_V4.exec(bare)?.[1] ?? (isIPv6(bare) ? networkOf(bare) : bare);
  return createHash('sha256').update(client).digest('base64url').slice(0, 22);
}
