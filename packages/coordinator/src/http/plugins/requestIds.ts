import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';

const HEADER = 'x-request-id';
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The addresses and networks of proxies. */
function proxyList(proxies: readonly string[]): BlockList {
  const list = new BlockList();
  for (const proxy of proxies) {
    const [address = '', bits] = proxy.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return list;
}

/**
 * Names requests, so that an operator finds the log line of a failed one: by the UUID that a trusted proxy sent in `X-Request-Id`,
 * else by one of our own.
 */
export function requestNamer(trustedProxies: readonly string[]): (request: IncomingMessage) => string {
  const proxies = proxyList(trustedProxies);
  return ({ headers, socket }) => {
    const given = headers[HEADER];
    const from = socket.remoteAddress ?? '';
    const isTrusted = isIP(from) !== 0 && proxies.check(from, isIP(from) === 6 ? 'ipv6' : 'ipv4');
    return isTrusted && typeof given === 'string' && UUID.test(given) ? given : randomUUID();
  };
}
