// Rules for passwords that are recognized by the syntax of a command or file: options of clients, passwords that are piped
// into a command, .netrc, .pgpass, cookie jars, password files.
import { isUuid } from '../../../base/text/index.ts';
import { looksLikeCredential, looksLikePassword, looksLikeSecret, looksRandom, type SecretRule } from './rule.ts';

const issuer = 'revoke it where it was issued';
const database = 'change the password of this user in the database';
const account = 'change this password';

/** One word of a shell, after its quote. */
const word = '["\']?([^\\s"\'`\\\\;|&<>]{6,200})';

/** The words of a command up to an option. */
const options = '[^\\r\\n|;&]{0,200}?';

type CommandRow = readonly [title: string, keywords: readonly string[], pattern: string, rotate: string];

/** `pattern` is tried at the keyword and has the password as its group. */
const commandRows: readonly CommandRow[] = [
  ['Redis client', ['redis-cli '], `redis-cli ${options}(?<= )-a {1,2}${word}`, database],
  [
    'MongoDB client',
    ['mongosh ', 'mongo ', 'mongodump ', 'mongorestore ', 'cqlsh '],
    `(?:mongo(?:sh|dump|restore)?|cqlsh) ${options}(?<= )-p {0,2}${word}`,
    database,
  ],
  [
    'MySQL client',
    ['mysql -', 'mysqldump -', 'mysqladmin -'],
    `mysql(?:dump|admin)? ${options}(?<= )-p${word}`,
    database,
  ],
  ['SQL Server client', ['sqlcmd ', 'bcp '], `(?:sqlcmd|bcp) ${options}(?<= )-P {0,2}${word}`, database],
  ['SQL*Plus', ['sqlplus '], `sqlplus ${options}\\w{1,40}\\/([^\\s"'\`\\\\;|&<>@]{6,200})@`, database],
  [
    'LDAP client',
    ['ldapsearch ', 'ldapadd ', 'ldapmodify ', 'ldapwhoami '],
    `ldap[a-z]{3,8} ${options}(?<= )-w {1,2}${word}`,
    account,
  ],
  [
    'SMB client',
    ['smbclient ', 'rpcclient '],
    `(?:smb|rpc)client ${options}(?<= )-U ["']?[^\\s%]{1,60}%${word}`,
    account,
  ],
  [
    'Archive',
    ['zip -', '7z '],
    `(?:zip|7z) ${options}(?<= )(?:-P {1,2}|-p)${word}`,
    'encrypt the archive with another password',
  ],
  [
    'OpenSSL cipher',
    ['openssl enc '],
    `openssl enc ${options}(?<= )-k {1,2}${word}`,
    'encrypt the file with another password',
  ],
  ['OpenSSL', ['pass:'], `pass:${word}`, 'encrypt the key or file with another password'],
  ['Windows credential', ['/pass:', '/password:'], `\\/pass(?:word)?:${word}`, account],
  ['Windows share', ['net use '], `net use ${options}\\/user:\\S{1,60} {1,2}${word}`, account],
  ['Password file', ['htpasswd -'], `htpasswd -\\w{0,6}b\\w{0,6} \\S{1,200} \\S{1,60} ${word}`, account],
  ['RabbitMQ', ['add_user ', 'change_password '], `(?:add_user|change_password) \\S{1,60} ${word}`, account],
  ['MQTT client', ['mosquitto_'], `mosquitto_[a-z]{3,6} ${options}(?<= )-P {1,2}${word}`, account],
  [
    'Java key store',
    ['-storepass ', '-keypass '],
    `-(?:store|key)pass {1,2}${word}`,
    'change the password of the key store',
  ],
  [
    'Secure string',
    ['ConvertTo-SecureString'],
    `(?:(?<=["']([^"'\\r\\n]{6,200})["'] {0,2}\\| {0,2})ConvertTo-SecureString|ConvertTo-SecureString (?:-String )?${word})`,
    account,
  ],
  ['SSH', ['sshpass -p'], `sshpass -p {0,2}${word}`, account],
  [
    'Password after its user',
    [' -p ', ' -P ', ' --pass '],
    `(?<=(?: -[uU]| --user(?:name)?)[ =]\\S{1,80}) {1,2}(?:-[pP]|--pass) {1,2}${word}`,
    account,
  ],
  ['Windows account', ['net user '], `net user \\S{1,60} {1,2}${word}`, account],
  ['Ansible', ['encrypt_string '], `encrypt_string ${word}`, account],
  ['SQL', ['identified by '], `identified by (?:password )?["']([^"'\\s\\\\]{8,200})["']`, database],
  ['Key of SSH', ['ssh-keygen '], `ssh-keygen ${options}(?<= )-[NP] {1,2}${word}`, 'give the key another passphrase'],
  ['Redis', ['requirepass '], `requirepass ${word}`, database],
  [
    'HTTPie',
    ['http -', 'https -', ' --auth '],
    `(?:https? ${options}(?<= )-a| --auth) {1,2}["']?[^\\s:"'$]{1,64}:${word}`,
    account,
  ],
  ['Secret of a repository', ['secret set '], `secret set ${options}(?:--body|-b)[ =]{1,2}${word}`, issuer],
  [
    'Password on stdin',
    ['echo ', 'printf ', '<<< '],
    `(?:echo|printf|<<<)(?: -n)? {1,2}["']?(?:[\\w.-]{1,60}:)?([^\\s"'\`\\\\;|&<>]{8,400}) {0,2}["']? {0,2}\\|[^\\r\\n]{0,200}?(?:--password-stdin|--with-token|chpasswd|sudo -S|--passphrase-fd|base64)`,
    account,
  ],
];

/** Lines of files with a password column. */
const fileRules: readonly SecretRule[] = [
  {
    kind: 'file-password',
    title: 'Password in .netrc',
    keywords: ['password '],
    pattern: new RegExp(
      `(?<=(?:machine\\s{1,4}\\S{1,120}|default|login\\s{1,4}\\S{1,80})\\s{1,20})password {1,4}${word}`,
      'y',
    ),
    grouped: true,
    certainty: 'place',
    // Prose also has "default password" and "login password".
    check: (value) => isUuid(value) || looksLikeSecret(value),
    rotate: account,
  },
  {
    kind: 'file-password',
    title: 'Password in .pgpass',
    keywords: [':54', ':64', ':*:'],
    pattern: /:(?:\d{4,5}|\*):[\w*-]{1,63}:[\w*.@-]{1,63}:([^\s:"'\\]{8,200})(?![^\s"'\\])/y,
    grouped: true,
    inWord: true,
    certainty: 'place',
    check: looksLikeSecret,
    rotate: database,
  },
  {
    kind: 'cookie',
    title: 'Cookie in a cookie jar',
    keywords: ['\tTRUE\t', '\tFALSE\t'],
    exact: true,
    pattern: /\t(?:TRUE|FALSE)\t\/[^\t\r\n]{0,200}\t(?:TRUE|FALSE)\t\d{1,14}\t[^\t\r\n]{1,80}\t([^\s"'\\]{16,2000})/y,
    grouped: true,
    inWord: true,
    certainty: 'place',
    check: looksLikeCredential,
    rotate: 'end the session (sign out everywhere) where it was issued',
  },
  {
    kind: 'password-hash',
    title: 'Hash of a password (shadow, htpasswd, bcrypt, argon2)',
    keywords: ['$apr1$', '$2a$', '$2b$', '$2y$', '$1$', '$5$', '$6$', '$y$', '$argon2'],
    pattern:
      /\$(?:(?:apr1|1)\$[\w./]{1,8}\$[\w./]{22}|2[aby]\$\d\d\$[\w./]{53}|[56]\$(?:rounds=\d{1,9}\$)?[\w./]{1,16}\$(?:[\w./]{86}|[\w./]{43})|y\$[\w./]{1,8}\$[\w./]{1,86}\$[\w./]{43}|argon2(?:id|i|d)\$v=\d{1,3}\$m=\d{1,9},t=\d{1,6},p=\d{1,4}\$[\w+/]{8,64}\$[\w+/]{16,128})(?![\w./])/y,
    inWord: true,
    certainty: 'form',
    check: looksRandom,
    rotate: 'change this password: a hash can be guessed offline',
  },
];

const optionRule: SecretRule = {
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
};

export const commandRules: readonly SecretRule[] = [
  optionRule,
  ...commandRows.map(
    ([title, keywords, pattern, rotate]): SecretRule => ({
      kind: 'command-line-secret',
      title: `Password on a command line: ${title}`,
      keywords,
      pattern: new RegExp(pattern, title === 'SQL' ? 'iy' : 'y'),
      grouped: true,
      inWord: true,
      certainty: 'place',
      check: title === 'SSH' || title === 'Redis' ? looksLikePassword : looksLikeSecret,
      rotate,
    }),
  ),
  ...fileRules,
];
