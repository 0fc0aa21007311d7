// Rules for secrets without a vendor: keys in blocks, tokens in headers, passwords in addresses, and values that only
// their name gives away. These decide how many false findings there are, so each has the strictest check it can bear.
import type { SecretRule } from './rule.ts';
import {
  entropyOf,
  looksLikeCredential,
  looksLikeEnvSecret,
  looksLikePassword,
  looksLikeSecret,
  looksRandom,
} from './value-checks.ts';

const session = 'end the session (sign out everywhere) where it was issued';
const issuer = 'revoke it where it was issued';
const database = 'change the password of this user in the database';
const account = 'change this password';

const pemLabel = '(?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----';
const pemWhole = `-----BEGIN ${pemLabel}(?:[^-]|-(?!----)){40,20000}-----END ${pemLabel}`;
// The end is missing where a tool showed only the first lines of a file.
const pemTorn = `-----BEGIN ${pemLabel}[A-Za-z0-9+/=\\s\\\\|→:]{60,20000}`;
const pem = `(?:${pemWhole}|${pemTorn})`;

const databases =
  '(?:postgres(?:ql)?|mysql|mariadb|mongodb|rediss?|amqps?|mssql|sqlserver|clickhouse|cockroachdb|oracle|db2|couchbases?|neo4j|bolt|nats|kafka|ldaps?|smtps?|ftps?|sftp|jdbc:\\w{2,20})(?:\\+\\w{1,20})?';

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
    rotate: 'make a new key pair, put the new public key in place, remove the old one everywhere',
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
    // Not behind a dash, or a text of eyJ-eyJ-… would be read to its end from each of them.
    pattern: /(?<![-_])eyJ[\w-]{10,4000}\.(?:eyJ|ZXlK)[\w-]{10,8000}\.[\w-]{10,2000}/y,
    certainty: 'place',
    check: looksRandom,
    rotate: 'expires by itself at best; end the session or change the signing key where it was issued',
  },
];

const addressRules: readonly SecretRule[] = [
  {
    kind: 'connection-string-password',
    title: 'Password in a connection string',
    keywords: ['://'],
    pattern: new RegExp(`(?<=${databases}):\\/\\/[^\\s:@/"'<>\\\\]{0,100}:([^\\s"'<>\\\\/\`]{1,200})@[\\w.[-]`, 'iy'),
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
      /(?<=[a-z][a-z0-9+.]{1,20}):\/\/[^\s:@/"'<>\\?#]{0,100}:([^\s@"'<>\\/`?#]{3,200})@[\w-]{1,63}(?:[.:][\w-]{1,63}|\/)/iy,
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

const schemes = '(?:bearer|basic|token|bot|apikey|api-key|ssws|splunk)';

const headerRules: readonly SecretRule[] = [
  {
    kind: 'authorization-header',
    title: 'Token in an Authorization header',
    keywords: ['authorization', 'bearer ', 'basic '],
    pattern: new RegExp(
      `(?:authorization["'\\]]{0,3}\\s{0,4}[:=,]\\s{0,4}["'\`]{0,3}(?:${schemes}[ :=]{1,3})?|(?:bearer|basic) )["']?([A-Za-z0-9+/_.~:=-]{8,4000})`,
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
    keywords: [' -u ', ' --user ', ' --user=', ' -u"', " -u'", ' --proxy-user '],
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

const secretNames = ['password', 'passwd', 'passphrase', 'pwd', 'secret', 'token', 'credential'];
const keyNames = ['api', 'access', 'auth', 'private', 'encryption', 'signing', 'master', 'account', 'service'];
const secretWords = [...secretNames, ...keyNames.flatMap((name) => [`${name}key`, `${name}_key`, `${name}-key`])];
// max_tokens, token_count, secretName, password_url: names about a secret, not of one.
const aboutNames =
  'count type url uri name id file path endpoint expir len limit budget usage use hash iz field policy input label prompt regex pattern store manager provider service class reset version arn ref rate cost price s'.split(
    ' ',
  );
const secretName = `(?:${[...secretNames, `(?:${keyNames.join('|')})[-_]?key`].join('|')})`;
const aboutName = `(?!s?[-_]?(?:${aboutNames.join('|')}))`;

const namedValueRules: readonly SecretRule[] = [
  {
    kind: 'env-secret',
    title: 'Secret in an .env line',
    keywords: [...secretWords, '_pass'],
    pattern: new RegExp(
      `(?<=(?:^|[\\s;"'\`(|→])(?:[A-Z][A-Z0-9_]{0,60})?)(?:${secretName.toUpperCase()}${aboutName.toUpperCase()}[A-Z0-9_]{0,30}|_PASS)["']?(?:=| {0,2}: {0,4})(?:"([^"\\r\\n]{8,400})"|'([^'\\r\\n]{8,400})'|((?:[^\\s"'\`\\\\;&|<>]|&(?![&\\s]|\\w{1,40}=)){8,400}))`,
      'y',
    ),
    grouped: true,
    inWord: true,
    certainty: 'line',
    check: looksLikeEnvSecret,
    rotate: issuer,
  },
  {
    kind: 'named-secret',
    title: 'Value of a name such as password, secret, token or api key',
    keywords: secretWords,
    pattern: new RegExp(
      `${secretName}${aboutName}[\\w.-]{0,30}["'\`\\]]{0,3}[ \\t]{0,8}(?:=>|:=|={1,3}|:(?!:))[ \\t]{0,8}(?:[bfr]?["'\`]([^"'\`\\s\\\\]{8,400})["'\`]|([^\\s"'\`\\\\,;&|<>(){}[\\]]{8,400})(?![(\\w]))`,
      'iy',
    ),
    grouped: true,
    inWord: true,
    certainty: 'name',
    check: looksLikeSecret,
    rotate: issuer,
  },
  {
    kind: 'command-line-secret',
    title: 'Secret as an option of a command',
    keywords: [
      '--password',
      '--token',
      '--secret',
      '--api-key',
      '--apikey',
      '--access-key',
      '--passphrase',
      '--auth-token',
    ],
    pattern: /--[a-z-]{5,20}[ =]["']?([^\s"'`\\;|&<>]{8,400})/y,
    grouped: true,
    certainty: 'name',
    check: looksLikeSecret,
    rotate: issuer,
  },
  {
    kind: 'command-line-secret',
    title: 'Password on a command line or in a configuration file',
    keywords: ['sshpass -p', 'requirepass ', ' login '],
    pattern:
      /(?:sshpass -p {0,2}|requirepass | login \S{1,80} {1,4}password | login (?:-u|--username)[ =]\S{1,80} -p )["']?([^\s"'`\\;|&<>]{6,200})/y,
    grouped: true,
    inWord: true,
    certainty: 'place',
    check: looksLikePassword,
    rotate: account,
  },
  {
    kind: 'command-line-secret',
    title: 'Password of the MySQL client',
    keywords: ['mysql -', 'mysqldump -', 'mysqladmin -'],
    pattern: /mysql(?:dump|admin)? [^\r\n|;&]{0,200}?(?<= )-p([^\s"'`\\;|&<>]{6,200})/y,
    grouped: true,
    certainty: 'place',
    check: looksLikeSecret,
    rotate: database,
  },
  {
    kind: 'named-secret',
    title: 'Password in an XML element',
    keywords: ['password>', 'secret>', 'token>', 'apikey>'],
    pattern: /[a-z]{5,8}>([^<>\s]{8,200})<\//iy,
    grouped: true,
    inWord: true,
    certainty: 'name',
    check: looksLikeSecret,
    rotate: account,
  },
];

export const placeRules: readonly SecretRule[] = [...blockRules, ...addressRules, ...headerRules, ...namedValueRules];

/** A block with dots in the middle is documentation. Long runs of A are not: OpenSSH keys begin with them. */
function holdsKey(block: string): boolean {
  const body = block.replace(/-----[A-Z0-9 ]*-----/g, '').replaceAll('\\n', '\n');
  return /[A-Za-z0-9+/]{30}/.test(body) && entropyOf(body.replace(/[^A-Za-z0-9+/]/g, '').slice(0, 400)) >= 3.5;
}

/** `user:password` in base64, which may be short and without a digit. */
function isBasicPair(value: string): boolean {
  if (value.length < 12 || value.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(value)) return false;
  const pair = Buffer.from(value, 'base64').toString('latin1');
  return /^[\x20-\x7e]{1,64}:[\x20-\x7e]{4,200}$/.test(pair) && looksLikePassword(pair.slice(pair.indexOf(':') + 1));
}
