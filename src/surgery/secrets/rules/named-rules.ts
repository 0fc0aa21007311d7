// Rules for values that are recognized only by the name they are assigned to: lines of .env files, members of JSON, YAML,
// TOML and code, options of commands. Most false findings come from these.
import {
  isBasicPair,
  looksLikeEnvSecret,
  looksLikeSecret,
  looksRandom,
  looksStrong,
  namedRules,
  type SecretRule,
} from './rule.ts';

const issuer = 'revoke it where it was issued';
const account = 'change this password';
const uuid = '[a-fA-F0-9]{8}-[a-fA-F0-9]{4}-[a-fA-F0-9]{4}-[a-fA-F0-9]{4}-[a-fA-F0-9]{12}';

const secretNames = [
  'password',
  'passwd',
  'passphrase',
  'passcode',
  'pwd',
  'secret',
  'token',
  'credential',
  'macaroon',
];
const keyNames =
  'api access auth private encryption signing master account service app admin shared session cipher hmac jwt aes deploy'.split(
    ' ',
  );
const secretWords = [...secretNames, ...keyNames.flatMap((name) => [`${name}key`, `${name}_key`, `${name}-key`])];
// max_tokens, token_count, secretName, password_url: names about a secret, not of one.
const aboutNames =
  'count type url uri name id file path endpoint expir len limit budget usage use hash iz field policy input label prompt regex pattern store manager provider service class reset version arn ref rate cost price s(?!tring)'.split(
    ' ',
  );
const secretName = `(?:${[...secretNames, `(?:${keyNames.join('|')})[-_]?key`].join('|')})`;
const aboutName = `(?!s?[-_]?(?:${aboutNames.join('|')}))`;

/** The start of a name in capitals: `export NAME`, `$env:NAME`, `+ NAME`, `"NAME"`. */
const beginsEnv = `(?:^|[\\s;"'\`(|→:$])`;
const envValue = `["']?(?: {0,2}= {0,2}| {0,2}: {0,4})(?:"([^"\\r\\n]{8,400})"|'([^'\\r\\n]{8,400})'|((?:[^\\s"'\`\\\\;&|<>]|&(?![&\\s]|\\w{1,40}=)){8,400}))`;
const quoted = `[bfr]?["'\`]{1,3}([^"'\`\\s\\\\]{8,400})["'\`]`;
const bare = `([^\\s"'\`\\\\,;&|<>(){}[\\]]{8,400})(?![(\\w])`;
/** `name = value`, `name: string = "value"`, `NAME 'value'`, `name("value")`, `("name", "value")`,
 * `"name": "NAME", "value": "value"` in JSON, YAML and XML, and a block of YAML. */
const assignment = [
  `["'\`\\]]{0,3}[ \\t]{0,8}(?:=>|:=|!?={1,3}|:(?!:))[ \\t]{0,8}(?:!!?\\w{1,12} {1,2})?(?:${quoted}|${bare})`,
  `["'\`]?(?: {0,2}(?:\\??:| as) {0,2}[&\\w<>|. ]{2,40}= {0,2}| {1,4}|\\( {0,2})${quoted}`,
  `["'\`]\\s{0,4},\\s{0,4}${quoted}`,
  `["'\`]?:?(?: {0,2}!\\w{1,20})?\\s{0,4}[,>]?\\s{0,20}["'<]?\\w{0,12}(?:value|default)\\w{0,12}["'>]?\\s{0,4}[:=]?\\s{0,4}(?:${quoted}|${bare})`,
  `["']?[ \\t]{0,4}:[ \\t]{0,4}[|>][-+]?\\r?\\n[ \\t]{1,40}${bare}`,
].join('|');

export const namedValueRules: readonly SecretRule[] = [
  {
    kind: 'env-secret',
    title: 'Secret in an .env line',
    keywords: [...secretWords, '_pass'].map((word) => word.toUpperCase()),
    exact: true,
    pattern: new RegExp(
      `(?<=${beginsEnv}(?:[A-Z][A-Z0-9_]{0,60})?)(?:${secretName.toUpperCase()}${aboutName.toUpperCase()}[A-Z0-9_]{0,30}|_PASS)${envValue}`,
      'y',
    ),
    grouped: true,
    inWord: true,
    certainty: 'line',
    check: looksLikeEnvSecret,
    rotate: issuer,
  },
  {
    kind: 'env-secret',
    title: 'Secret in an .env line whose name ends in KEY, SALT, PAT or CREDS',
    keywords: ['_KEY=', '_KEY:', '_KEY"', "_KEY'", '_KEY =', '_SALT', '_PAT=', '_PAT:', '_CREDS', '_SESSION_'],
    exact: true,
    pattern: new RegExp(
      `(?<=${beginsEnv}[A-Z][A-Z0-9_]{0,60})(?<!PUBLIC|PUBLISHABLE|PRIMARY|FOREIGN|CACHE|SORT|PARTITION|HOST|INDEX|UNIQUE|SEARCH)(?:_KEY|_SALT|_PAT|_CREDS|_SESSION_\\w{1,30})["']?(?: {0,2}= {0,2}| {0,2}: {0,4})["']?(?:base64:)?([^\\s"'\`\\\\;&|<>]{16,400})`,
      'y',
    ),
    grouped: true,
    inWord: true,
    certainty: 'line',
    check: looksLikeSecret,
    rotate: issuer,
  },
  {
    kind: 'env-secret',
    title: 'Secret in a variable that a command sets',
    keywords: ['env ', 'arg ', 'setx ', ' set '],
    pattern: new RegExp(
      `(?:env|arg|setx| set)[ \\t]{1,4}[\\w.:-]{0,60}(?:${secretName}|_pass)${aboutName}\\w{0,30}[ \\t]{1,4}["']?([^\\s"'\`\\\\;&|<>=-][^\\s"'\`\\\\;&|<>]{7,400})`,
      'iy',
    ),
    grouped: true,
    inWord: true,
    certainty: 'line',
    check: looksLikeSecret,
    rotate: issuer,
  },
  {
    kind: 'named-secret',
    title: 'Value of a name such as password, secret, token or api key',
    keywords: secretWords,
    pattern: new RegExp(`${secretName}${aboutName}[\\w.-]{0,30}(?:${assignment})`, 'iy'),
    grouped: true,
    inWord: true,
    certainty: 'name',
    check: looksLikeSecret,
    rotate: issuer,
  },
  {
    kind: 'named-secret',
    title: 'Value of a name that ends in pass, pw or psk',
    keywords: ['pass', 'pw', 'psk'].flatMap((name) => ['=', ':', '"', "'", ' =', ']'].map((sign) => `${name}${sign}`)),
    pattern: new RegExp(`(?:pass|pw|psk)(?:${assignment})`, 'iy'),
    grouped: true,
    inWord: true,
    certainty: 'name',
    check: looksLikeSecret,
    rotate: account,
  },
  {
    kind: 'named-secret',
    title: 'Password in an XML element',
    keywords: ['password>', 'passphrase>', 'passwd>', 'pwd>', 'secret>', 'token>', 'apikey>', 'api_key>', 'api-key>'],
    pattern: /[a-z_-]{3,12}>([^<>\s]{8,200})<\//iy,
    grouped: true,
    inWord: true,
    certainty: 'name',
    check: looksLikeSecret,
    rotate: account,
  },
  ...namedRules([
    [
      'named-secret',
      'Value of a name, a uuid',
      'api_key apikey api-key access_token accesstoken access-token auth_token authtoken auth-token client_secret clientsecret',
      uuid,
      issuer,
    ],
  ]),
  {
    kind: 'named-secret',
    title: 'Value of a name in a sentence or a line of settings',
    // Not tokens, which every transcript counts.
    keywords: [
      ...[...secretNames, '-key'].flatMap((name) => [`${name} `, `${name}:`, `${name}"`, `${name}'`]),
      'secret key',
      'api key',
      'access key',
    ],
    pattern:
      /(?:password|passwd|passphrase|passcode|pwd|secret(?: key)?|token|credential|(?:api|access) key|-key)["']?(?: is:?| for [^\s:]{1,60}:| was|:)?[ \t]{1,4}["'`]?([^\s"'`\\,;&|<>(){}[\]]{8,400})/iy,
    grouped: true,
    inWord: true,
    certainty: 'name',
    check: looksStrong,
    rotate: issuer,
  },
  {
    kind: 'named-secret',
    title: 'Words that restore a wallet',
    keywords: ['mnemonic', 'seed phrase', 'seed_phrase', 'recovery phrase'],
    pattern: /(?:mnemonic|seed[ _]phrase|recovery phrase)["']?\s?[:=]\s?["']?((?:[a-z]{3,8} ){11,23}[a-z]{3,8})/iy,
    grouped: true,
    inWord: true,
    certainty: 'name',
    rotate: 'move the funds to a new wallet',
  },
  {
    kind: 'named-secret',
    title: 'Password after its user',
    keywords: ['basicauth', 'basic_auth', 'auth=', 'auth =', 'login(', 'getconnection(', 'credential', 'userpwd'],
    pattern:
      /(?:basic_?auth|auth|login|getconnection|credentials?|userpwd)["']?(?: {0,2}[:=,]{1,2} {0,2})?(?:\([^()\r\n]{0,120}?["'][^"'\r\n]{1,80}["']\s{0,4},\s{0,4}["']([^"'\s\\]{8,200})["']|["']?[\w.@-]{1,64}:([^\s"'`\\:;&|<>]{8,200})(?![^\s"'`\\;&|<>]))/iy,
    grouped: true,
    inWord: true,
    certainty: 'name',
    check: looksLikeSecret,
    rotate: account,
  },
  {
    kind: 'named-secret',
    title: 'Default of a variable of Terraform',
    keywords: ['variable "'],
    pattern: new RegExp(
      `variable "\\w{0,60}${secretName}${aboutName}\\w{0,30}" \\{[^{}]{0,400}?default {0,8}= {0,8}${quoted}`,
      'iy',
    ),
    grouped: true,
    certainty: 'name',
    check: looksLikeSecret,
    rotate: account,
  },
  {
    kind: 'registry-auth',
    title: 'User and password of a registry in base64 (Docker, npm)',
    keywords: ['auth"', "auth'", 'auth:', 'auth=', 'auth ='],
    pattern: /auth["']?\s{0,4}[:=]\s{0,4}["']?([A-Za-z0-9+/]{8,400}={0,2})/y,
    grouped: true,
    inWord: true,
    certainty: 'place',
    check: isBasicPair,
    rotate: 'change this password in the registry',
  },
  {
    kind: 'kubernetes-key',
    title: 'Private key or token of a Kubernetes client or secret',
    keywords: ['client-key-data', 'tls.key', 'ca.key', 'dockerconfigjson', 'identitytoken', 'registrytoken'],
    pattern:
      /(?:client-key-data|tls\.key|ca\.key|dockerconfigjson|identitytoken|registrytoken)["']?\s{0,4}[:=]\s{0,4}["']?([\w+/.=-]{24,20000})/iy,
    grouped: true,
    inWord: true,
    certainty: 'place',
    check: looksRandom,
    rotate: 'issue a new certificate or token for this user of the cluster or registry',
  },
];
