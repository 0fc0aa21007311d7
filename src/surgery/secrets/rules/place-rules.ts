// Rules for secrets that are recognized by their context: keys in blocks, tokens in headers and cookies, passwords in
// addresses. Each has the strictest possible check.
import {
  entropyOf,
  isBasicPair,
  looksLikeCredential,
  looksLikePassword,
  looksRandom,
  type SecretRule,
} from './rule.ts';

const session = 'end the session (sign out everywhere) where it was issued';
const issuer = 'revoke it where it was issued';
const database = 'change the password of this user in the database';
const account = 'change this password';
const keyPair = 'make a new key pair, put the new public key in place, remove the old one everywhere';

const pemLabel = '(?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----';
const pemWhole = `-----BEGIN ${pemLabel}(?:[^-]|-(?!----)){40,20000}-----END ${pemLabel}`;
// The end may be missing, because a tool showed only the first lines of a file.
const pemTorn = `-----BEGIN ${pemLabel}[A-Za-z0-9+/=\\s\\\\|→:]{60,20000}`;
const pem = `(?:${pemWhole}|${pemTorn})`;

const databases =
  '(?:postgres(?:ql)?|mysql|mariadb|mongodb|rediss?|amqps?|mssql|sqlserver|clickhouse|cockroachdb|oracle|db2|couchbases?|couchdb|neo4j|bolt|nats|kafka|pulsar|mqtts?|stomp|cassandra|snowflake|trino|presto|vertica|influxdb|elasticsearch|cloudinary|ldaps?|smtps?|imaps?|pop3s?|ftps?|sftp|ssh|smb|rtsps?|socks5h?|jdbc:\\w{2,20})(?:\\+\\w{1,20})?';

const blockRules: readonly SecretRule[] = [
  {
    kind: 'private-key',
    title: 'Private key (PEM or PGP block)',
    keywords: ['-----BEGIN '],
    exact: true,
    pattern: new RegExp(pem, 'y'),
    inWord: true,
    certainty: 'place',
    check: holdsKey,
    rotate: keyPair,
  },
  {
    kind: 'gcp-service-account-key',
    title: 'Google service account private key',
    keywords: ['private_key'],
    pattern: new RegExp(`private_key["']{0,2}\\s{0,4}[:=]\\s{0,4}["']{0,2}(${pem})`, 'y'),
    grouped: true,
    certainty: 'form',
    check: holdsKey,
    rotate: 'https://console.cloud.google.com/iam-admin/serviceaccounts (Keys): delete the key',
  },
  {
    kind: 'jwt',
    title: 'JSON web token',
    keywords: ['eyJ'],
    exact: true,
    // Not after a dash, or a text of eyJ-eyJ-… would be read to its end from each of them.
    pattern: /(?<![-_])eyJ[\w-]{10,4000}\.(?:eyJ|ZXlK)[\w-]{10,8000}\.[\w-]{10,2000}/y,
    certainty: 'place',
    check: looksRandom,
    rotate: 'may expire automatically; end the session or change the signing key where it was issued',
  },
];

const addressRules: readonly SecretRule[] = [
  {
    kind: 'connection-string-password',
    title: 'Password in a connection string',
    keywords: ['://'],
    pattern: new RegExp(`(?<=${databases}):\\/\\/[^\\s:@/"'<>\\\\]{0,100}:([^\\s"'<>\\\\/\`]{1,200})@[\\w./[-]`, 'iy'),
    grouped: true,
    inWord: true,
    certainty: 'place',
    check: looksLikePassword,
    rotate: database,
  },
  {
    kind: 'connection-string-password',
    title: 'Password in a connection string',
    keywords: ['jdbc:'],
    pattern:
      /(?:jdbc:[^\s"'<>\\]{3,300}?[?;&]password=|jdbc:oracle:[^\s"'<>\\/]{1,60}\/(?!\/))([^\s"'<>\\;&@]{1,200})/iy,
    grouped: true,
    certainty: 'place',
    check: looksLikePassword,
    rotate: database,
  },
  {
    kind: 'connection-string-password',
    title: 'Password in a connection string',
    keywords: ['server=', 'data source=', 'host=', 'addr='],
    pattern: /(?:server|data source|host|addr)=[^\r\n"'<>\\]{1,300}?[; ](?:password|pwd)=([^\s"'<>\\;]{1,200})/iy,
    grouped: true,
    certainty: 'place',
    check: looksLikePassword,
    rotate: database,
  },
  {
    kind: 'url-password',
    title: 'Password in a URL',
    keywords: ['://'],
    pattern:
      /(?<=[a-z][a-z0-9+.]{1,20}):\/\/[^\s:@/"'<>\\?#]{0,100}:([^\s@"'<>\\/`?#]{3,200})@(?:\[[0-9a-f:]{2,40}\]|[\w-]{1,63}(?:[.:][\w-]{1,63}|\/))/iy,
    grouped: true,
    inWord: true,
    certainty: 'place',
    check: looksLikePassword,
    rotate: account,
  },
  {
    kind: 'url-password',
    title: 'Token as user of a URL',
    keywords: ['https://'],
    pattern: /https:\/\/([\w-]{20,200})@[\w-]{1,63}\.[\w-]{2,63}/iy,
    grouped: true,
    certainty: 'place',
    check: looksLikeCredential,
    rotate: issuer,
  },
];

/** Bearer, Basic, token, ApiKey, Negotiate and whatever else is one word. */
const schemes = '(?:[a-z][a-z0-9-]{1,30})';

const headerRules: readonly SecretRule[] = [
  {
    kind: 'authorization-header',
    title: 'Token in an Authorization header',
    keywords: ['authorization', 'bearer ', 'basic '],
    pattern: new RegExp(
      `(?:authorization["'\\]]{0,3}\\s{0,4}[:=,]\\s{0,4}["'\`]{0,3}(?:${schemes}(?: |[:=] ?))?|(?:bearer|basic) )["']?([A-Za-z0-9+/_.~:=-]{8,4000})`,
      'iy',
    ),
    grouped: true,
    inWord: true,
    certainty: 'place',
    check: (value) => looksLikeCredential(value) || isBasicPair(value),
    rotate: issuer,
  },
  {
    kind: 'curl-password',
    title: 'Password on a command line',
    keywords: [' -u', ' --user ', ' --user=', ' --proxy-user '],
    pattern: / (?:-u|--user|--proxy-user)[ =]?["']?[^\s:"'$]{1,64}:([^\s"']{4,200})/y,
    grouped: true,
    inWord: true,
    certainty: 'place',
    check: (value) => looksLikePassword(value) && !/^\d+$/.test(value),
    rotate: account,
  },
  {
    kind: 'cookie',
    title: 'Session cookie',
    keywords: ['cookie'],
    pattern: /cookie["'\]]{0,3}\s{0,4}[:,=]\s{0,4}["'`]{0,3}([\w.-]{1,80}=[^\r\n"'`]{1,4000})/iy,
    grouped: true,
    each: /(?:^|[;\s])[\w.-]{1,80}=([^;\s,"'\\]{16,2000})/g,
    inWord: true,
    certainty: 'name',
    check: looksLikeCredential,
    rotate: session,
  },
  {
    kind: 'cookie',
    title: 'Session cookie',
    keywords: ['sessionid=', 'session_id=', 'connect.sid=', 'sessid=', 'session=', '_session_token='],
    pattern: /[\w.]{3,20}=([^;\s,"'\\&]{16,2000})/y,
    grouped: true,
    inWord: true,
    certainty: 'name',
    check: looksLikeCredential,
    rotate: session,
  },
];

const fileRules: readonly SecretRule[] = [
  {
    kind: 'private-key',
    title: 'PuTTY private key',
    keywords: ['Private-Lines: '],
    exact: true,
    pattern: /Private-Lines: \d{1,4}\r?\n([A-Za-z0-9+/=]{16,80}(?:\r?\n[A-Za-z0-9+/=]{4,80}){0,200})/y,
    grouped: true,
    certainty: 'place',
    rotate: keyPair,
  },
  {
    kind: 'private-key',
    title: 'Private part of a JSON web key',
    keywords: ['"d":', "'d':"],
    exact: true,
    pattern: /["']d["']:\s{0,4}["']([\w-]{40,700})["']/y,
    grouped: true,
    certainty: 'place',
    check: looksRandom,
    rotate: keyPair,
  },
  {
    kind: 'ansible-vault',
    title: 'Ansible vault',
    keywords: ['$ANSIBLE_VAULT;'],
    exact: true,
    pattern:
      /\$ANSIBLE_VAULT;[\d.]{3,5};AES256?(?:;[\w.-]{1,60})?\s{1,40}([0-9a-f]{8,80}(?:\s{1,40}[0-9a-f]{8,80}){0,2000})/y,
    grouped: true,
    inWord: true,
    certainty: 'form',
    rotate: 'change what is in the vault and its password: it can be guessed offline',
  },
];

export const placeRules: readonly SecretRule[] = [...blockRules, ...addressRules, ...headerRules, ...fileRules];

/** A block with dots in the middle is documentation. Long runs of A are not: OpenSSH keys begin with them. */
function holdsKey(block: string): boolean {
  const body = block.replace(/-----[A-Z0-9 ]*-----/g, '').replaceAll('\\n', '\n');
  return /[A-Za-z0-9+/]{30}/.test(body) && entropyOf(body.replace(/[^A-Za-z0-9+/]/g, '').slice(0, 400)) >= 3.5;
}
