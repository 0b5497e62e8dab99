import { type LookupAddress, lookup as resolve } from 'node:dns';
import type { LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

/** An address of a private network, this machine's own, or of no single machine. */
export class ForbiddenAddress extends Error {
  override readonly name = 'ForbiddenAddress';
}

/** All that is given out to the public internet: https://www.iana.org/assignments/ipv6-unicast-address-assignments */
const GIVEN_OUT = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Whether an address is one of the public internet. An IPv4 address that is mapped into an IPv6 one counts as what it is; every other way to
 * write one into an IPv6 address is outside of what is given out, or a range of its own.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  return parsed.range() === 'unicast' && (parsed instanceof ipaddr.IPv4 || parsed.match(GIVEN_OUT));
}

/** Throws `ForbiddenAddress` for a host that is written as an address and not public: those are not looked up. */
export function checkHost(hostname: string): void {
  const written = hostname.replace(/^\[(.*)\]$/, '$1');
  if (ipaddr.isValid(written) && !isPublicAddress(written)) throw new ForbiddenAddress('The address is not public.');
}

/**
 * Looks a name up as a connection is made, so that what was looked at is what is connected to. A name that has any address which is not
 * public is refused: `ForbiddenAddress`.
 */
export const publicLookup: LookupFunction = (hostname, options, callback) => {
  resolve(hostname, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
    const fault =
      error ?? (addresses.every(({ address }) => isPublicAddress(address)) ? null : new ForbiddenAddress(hostname));
    const [first] = addresses ?? [];
    if (fault !== null || first === undefined) callback(fault ?? new Error('The name has no address.'), '', 0);
    else if (options.all) callback(null, addresses);
    else callback(null, first.address, first.family);
  });
};
