import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';

const HEADER = 'x-request-id';
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Tells the addresses of proxies, which are named by address or network. */
export function proxyTest(proxies: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const proxy of proxies) {
    const [address = '', bits] = proxy.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return (address) => isIP(address) !== 0 && list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

/**
 * Names requests, so that an operator finds the log line of a failed one: by the UUID that a trusted proxy sent in `X-Request-Id`,
 * else by one of our own.
 */
export function requestNamer(trustedProxies: readonly string[]): (request: IncomingMessage) => string {
  const isProxy = proxyTest(trustedProxies);
  return ({ headers, socket }) => {
    const given = headers[HEADER];
    return isProxy(socket.remoteAddress ?? '') && typeof given === 'string' && UUID.test(given) ? given : randomUUID();
  };
}
