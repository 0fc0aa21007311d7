// Whether an IP address belongs to this machine or its network. Neither a web page nor a command with limited network
// access may reach these: routers, metadata services and development servers trust every client there.
import { lookup } from 'node:dns';
import { BlockList, isIPv6, type LookupFunction } from 'node:net';

const blocked = new BlockList();
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const)
  blocked.addSubnet(network, prefix, 'ipv4');
for (const [network, prefix] of [
  ['::', 127],
  // IPv4 in IPv6: translated, 6to4, Teredo. BlockList treats mapped addresses (::ffff:…) as IPv4.
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['2002::', 16],
  ['2001::', 32],
  ['fc00::', 7],
  ['fe80::', 10],
  ['ff00::', 8],
] as const)
  blocked.addSubnet(network, prefix, 'ipv6');

export function isPrivateAddress(address: string): boolean {
  return blocked.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}

/** The host name resolves to a private address. */
export class PrivateAddressError extends Error {
  readonly host: string;

  constructor(name: string, address: string) {
    super(`${name} (${address}) is an address of this machine or its own network`);
    this.host = `${name} (${address})`;
  }
}

/** Resolves only to public addresses. */
export const publicLookup: LookupFunction = (hostname, options, done) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error !== null) return done(error, []);
    const denied = addresses.find(({ address }) => isPrivateAddress(address));
    if (denied !== undefined) return done(new PrivateAddressError(hostname, denied.address), []);
    const [first] = addresses;
    if (options.all === true) return done(null, addresses);
    return first === undefined ? done(new Error('no address'), []) : done(null, first.address, first.family);
  });
};
