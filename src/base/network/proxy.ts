// The proxy of a URL, from the variables of the environment. The order of the variables and the forms of NO_PROXY are
// those that Claude Code 2.1.325 uses (docs/connections.md).
import { BlockList, isIP } from 'node:net';
import { UserError } from '../errors/index.ts';
import type { Environment } from '../node/index.ts';

export interface ProxyServer {
  /** Without user name and password. */
  readonly url: URL;
  /** For the header `Proxy-Authorization`. */
  readonly authorization: string | undefined;
  /** The variable that names it. */
  readonly variable: string;
}

/** The first one that is not empty counts, for addresses of both schemes. */
const proxyVariables = ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY', 'all_proxy', 'ALL_PROXY'] as const;

/** The proxy of the environment. Its value is never part of an error: it may contain a password. */
export function readProxy(env: Environment): ProxyServer | undefined {
  const variable = proxyVariables.find((name) => (env[name] ?? '').trim() !== '');
  if (variable === undefined) return undefined;
  const url = URL.parse((env[variable] ?? '').trim());
  if (url === null || !['http:', 'https:'].includes(url.protocol) || url.hostname === '') {
    throw new UserError(
      `${variable} is not the URL of an HTTP proxy`,
      'set it to one such as http://proxy.example.com:8080, or unset it',
    );
  }
  const { username, password } = url;
  url.username = '';
  url.password = '';
  return { url, authorization: basicAuthorization(username, password, variable), variable };
}

/** `undefined` if the URL is requested directly. */
export function proxyFor(url: URL, env: Environment): ProxyServer | undefined {
  const proxy = readProxy(env);
  if (proxy === undefined) return undefined;
  const exceptions = env.no_proxy || env.NO_PROXY || '';
  return isException(url, exceptions) ? undefined : proxy;
}

/** `http://proxy.example.com:8080` */
export function proxyName({ url }: ProxyServer): string {
  return url.origin;
}

function basicAuthorization(username: string, password: string, variable: string): string | undefined {
  if (username === '' && password === '') return undefined;
  try {
    const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    return `Basic ${Buffer.from(pair).toString('base64')}`;
  } catch {
    throw new UserError(
      `the user name or password in ${variable} is not encoded for a URL`,
      'write a percent sign as %25',
    );
  }
}

/** Names match themselves and every name below them; an entry may have a port; addresses may be networks. */
function isException(url: URL, list: string): boolean {
  const host = plainHost(url.hostname);
  const port = url.port === '' ? (url.protocol === 'https:' ? '443' : '80') : url.port;
  return list
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => entry === '*' || matches(entry.toLowerCase(), host, port));
}

function matches(entry: string, host: string, port: string): boolean {
  if (entry.includes('/')) return isInNetwork(host, entry);
  const [, bracketed, plain, entryPort] =
    isIP(entry) === 0 ? (/^(?:\[(.+)\]|([^:]*))(?::(\d+))?$/.exec(entry) ?? []) : [entry, entry];
  if (entryPort !== undefined && entryPort !== port) return false;
  const name = plainHost(bracketed ?? plain ?? '');
  if (isIP(host) !== 0) return isSameAddress(host, name);
  const suffix = name.replace(/^\*?\./, '');
  return suffix !== '' && (host === suffix || host.endsWith(`.${suffix}`));
}

function isSameAddress(host: string, address: string): boolean {
  return isIP(address) !== 0 && isInNetwork(host, `${address}/${isIP(address) === 6 ? 128 : 32}`);
}

function isInNetwork(host: string, entry: string): boolean {
  const [network = '', bits = ''] = entry.split('/');
  const family = isIP(network);
  if (isIP(host) === 0 || family === 0 || !/^\d{1,3}$/.test(bits) || Number(bits) > (family === 6 ? 128 : 32))
    return false;
  const list = new BlockList();
  list.addSubnet(network, Number(bits), family === 6 ? 'ipv6' : 'ipv4');
  return list.check(host, isIP(host) === 6 ? 'ipv6' : 'ipv4');
}

function plainHost(hostname: string): string {
  return hostname
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '');
}
