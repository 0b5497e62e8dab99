import { type LookupAddress, lookup as resolve } from 'node:dns';
import type { LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

/** An address of a private network, this machine's own, or of no single machine. */
export class ForbiddenAddress extends Error {
  override readonly name = 'ForbiddenAddress';
}

/** Whether an address is one of the public internet; an IPv4 address in an IPv6 one counts as what it is. */
export const isPublicAddress = (address: string): boolean =>
  ipaddr.isValid(address) && ipaddr.process(address).range() === 'unicast';

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
