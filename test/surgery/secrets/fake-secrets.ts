// Fake secrets of every kind, made at run time from a seed and from parts: the repository holds no text that a scanner
// would take for a secret. Each comes with its context and with near misses that nobody may find.

export interface FakeSecret {
  readonly kind: string;
  readonly value: string;
  /** The value with what gives it away; the value itself for those with a form of their own. */
  readonly text: string;
  readonly nearMisses: readonly string[];
}

const hex = '0123456789abcdef';
const upper = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const lower = 'abcdefghijklmnopqrstuvwxyz';
const digits = '0123456789';
const word = upper + lower + digits;
const base32 = `${upper}234567`;
const base64 = `${word}+/`;

type Make = (length: number, alphabet?: string) => string;
interface Recipe {
  readonly kind: string;
  /** With the marker § around the value, where the value is not all. */
  readonly write: (make: Make) => string;
  readonly near?: (make: Make) => readonly string[];
}

export function fakeSecrets(seed: number): FakeSecret[] {
  return recipes.map(({ kind, write, near }, index) => {
    const make = makeText(seed * 1000 + index);
    const written = write(make);
    const parts = written.split('§');
    const value = parts.length === 1 ? written : (parts[1] ?? '');
    const nearMisses = near?.(make) ?? tokenMisses(value);
    return { kind, value, text: parts.join(''), nearMisses };
  });
}

/** The prefix within a word, a body that is too short, a body of one letter. */
function tokenMisses(value: string): string[] {
  const prefix = value.slice(0, Math.min(6, value.length / 3));
  return [`x${value}`, value.slice(0, 11), prefix + 'x'.repeat(value.length - prefix.length)];
}

function makeText(seed: number): Make {
  let state = (seed * 2654435761) >>> 0 || 1;
  const next = () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state;
  };
  // Every fake has a digit and both cases near its start, as nearly every real one has.
  return (length, alphabet = word) => {
    const text = Array.from({ length }, () => alphabet.charAt(next() % alphabet.length)).join('');
    if (alphabet !== word && alphabet !== base64) return text;
    return length < 6 ? text : `${text.slice(0, 1)}7${text.slice(2, 3)}kQ${text.slice(5)}`;
  };
}

const token = (kind: string, prefix: string, length: number, alphabet = word, tail = ''): Recipe => ({
  kind,
  write: (make) => prefix + make(length, alphabet) + (tail === '' ? '' : tail),
});

const uuid = (make: Make) => [8, 4, 4, 4, 12].map((length) => make(length, hex)).join('-');
const pemBody = (make: Make) => Array.from({ length: 6 }, () => make(64, base64)).join('\n');
const dashes = '-'.repeat(5);
const pem = (make: Make, label: string) =>
  `${dashes}BEGIN ${label}${dashes}\n${pemBody(make)}\n${dashes}END ${label}${dashes}`;
const key = ['PRIVATE', 'KEY'].join(' ');
const basic = (pair: string) => Buffer.from(pair).toString('base64');
const jwtPart = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

const assigned = (kind: string, name: string, write: (make: Make) => string): Recipe => ({
  kind,
  write: (make) => `${name}=§${write(make)}§`,
  near: () => [`${name}=`, `${name}=\${VALUE}`, `${name}=<your-key-here>`, `${name}=xxxxxxxxxxxxxxxxxxxxxxxx`],
});

const recipes: readonly Recipe[] = [
  token('aws-access-key-id', 'AK' + 'IA', 16, base32),
  assigned('aws-secret-access-key', 'AWS_SECRET_ACCESS_KEY', (make) => make(40, base64)),
  assigned('aws-session-token', 'AWS_SESSION_TOKEN', (make) => make(300, base64)),
  token('gcp-api-key', 'AI' + 'za', 35),
  token('google-oauth-client-secret', 'GOC' + 'SPX-', 28),
  token('google-oauth-access-token', 'ya' + '29.', 120),
  token('google-oauth-refresh-token', '1/' + '/0', 60),
  {
    kind: 'gcp-service-account-key',
    write: (make) => `{"type": "service_account", "private_key": "§${pem(make, key).replaceAll('\n', '\\n')}§"}`,
    near: () => ['"private_key": "…"', `"private_key": "${dashes}BEGIN ${key}${dashes}\\n...\\n"`],
  },
  {
    kind: 'azure-storage-key',
    write: (make) => `DefaultEndpointsProtocol=https;AccountName=dev;AccountKey=§${make(86, base64)}==§;`,
    near: () => ['AccountKey=short==', 'AccountKey=;'],
  },
  {
    kind: 'azure-client-secret',
    write: (make) => `${make(3, lower)}8Q${'~'}${make(34)}`,
    near: (make) => [`8Q~${make(10)}`],
  },
  token('github-token', 'gh' + 'p_', 36),
  token('github-token', 'gh' + 'o_', 36),
  token('github-token', 'gh' + 'u_', 36),
  token('github-token', 'gh' + 's_', 36),
  token('github-token', 'gh' + 'r_', 76),
  { kind: 'github-fine-grained-token', write: (make) => `github_${'pat'}_${make(22)}_${make(59)}` },
  token('gitlab-token', 'gl' + 'pat-', 20),
  token('gitlab-token', 'gl' + 'dt-', 20),
  token('gitlab-token', 'gl' + 'rt-', 20),
  token('bitbucket-app-password', 'AT' + 'BB', 32),
  token('atlassian-api-token', 'ATA' + 'TT3', 186),
  {
    kind: 'slack-token',
    write: (make) => `xo${'xb'}-${make(12, digits)}-${make(13, digits)}-${make(24)}`,
    near: () => ['xoxb-', 'xoxb-your-token', 'foxxoxb'],
  },
  {
    kind: 'slack-token',
    write: (make) => `xo${'xp'}-${make(12, digits)}-${make(12, digits)}-${make(32, hex)}`,
    near: () => [],
  },
  { kind: 'slack-app-token', write: (make) => `xa${'pp'}-1-A${make(10, upper)}-${make(13, digits)}-${make(64, hex)}` },
  {
    kind: 'slack-webhook',
    write: (make) => `https://hooks.slack.com/services/§T${make(10, upper)}/B${make(10, upper)}/${make(24)}§`,
    near: () => ['https://hooks.slack.com/services/T00/B00/x', 'https://slack.com/services/abc'],
  },
  token('stripe-key', 'sk_' + 'live_', 24),
  token('stripe-key', 'rk_' + 'live_', 24),
  token('stripe-webhook-secret', 'wh' + 'sec_', 32),
  token('anthropic-key', 'sk-' + 'ant-api03-', 95),
  token('anthropic-key', 'sk-' + 'ant-oat01-', 95),
  token('anthropic-key', 'sk-' + 'ant-admin01-', 80),
  token('openai-key', 'sk' + '-', 48),
  token('openai-key', 'sk-' + 'proj-', 120),
  token('openrouter-key', 'sk-' + 'or-v1-', 64, hex),
  { kind: 'langfuse-secret-key', write: (make) => `sk-${'lf'}-${uuid(make)}` },
  token('huggingface-token', 'h' + 'f_', 34),
  token('groq-key', 'gs' + 'k_', 52),
  token('npm-token', 'np' + 'm_', 36),
  token('pypi-token', 'py' + 'pi-AgEIcHlwaS5vcmc', 120),
  token('rubygems-key', 'ruby' + 'gems_', 48, hex),
  token('docker-hub-token', 'dckr_' + 'pat_', 27),
  {
    kind: 'jwt',
    write: (make) => [jwtPart({ alg: 'HS256', typ: 'JWT' }), jwtPart({ sub: make(8), iat: 1 }), make(43)].join('.'),
    near: () => [jwtPart({ alg: 'HS256' }), `${jwtPart({ a: 1 })}.short.x`],
  },
  { kind: 'private-key', write: (make) => pem(make, `RSA ${key}`), near: () => pemMisses },
  { kind: 'private-key', write: (make) => pem(make, `EC ${key}`), near: () => [] },
  { kind: 'private-key', write: (make) => pem(make, `OPENSSH ${key}`), near: () => [] },
  { kind: 'private-key', write: (make) => pem(make, `PGP ${key} BLOCK`), near: () => [] },
  ...['postgres', 'mysql', 'mongodb+srv', 'redis', 'amqp', 'mssql'].map(
    (scheme): Recipe => ({
      kind: 'connection-string-password',
      write: (make) => `${scheme}://app:§${make(14)}§@db.internal:5432/main`,
      near: () => [
        `${scheme}://localhost/main`,
        `${scheme}://app:$PW@db/main`,
        `${scheme}://app:password@localhost/main`,
      ],
    }),
  ),
  {
    kind: 'connection-string-password',
    write: (make) => `Server=db.internal;Database=main;User Id=app;Password=§${make(14)}§;`,
    near: () => ['Server=db.internal;Database=main;Integrated Security=true;'],
  },
  {
    kind: 'url-password',
    write: (make) => `https://deploy:§${make(16)}§@git.internal.net/repo.git`,
    near: () => ['https://git.internal.net:8080/a@b', 'https://user@host.net/x', 'http://a:b@c'],
  },
  {
    kind: 'authorization-header',
    write: (make) => `Authorization: Bearer §${make(40)}§`,
    near: () => ['Authorization: Bearer $TOKEN', 'Authorization: Bearer <token>', 'the bearer of good news'],
  },
  {
    kind: 'authorization-header',
    write: (make) => `Authorization: Basic §${basic(`deploy:${make(12)}`)}§`,
    near: () => ['Authorization: Basic', 'Basic authentication is used'],
  },
  { kind: 'authorization-header', write: (make) => `Authorization: token §${make(40, hex)}§`, near: () => [] },
  {
    kind: 'cookie',
    write: (make) => `Cookie: theme=dark; sid=§${make(32)}§`,
    near: () => ['Cookie: theme=dark; lang=en', 'Cookie: consent'],
  },
  assigned('env-secret', 'DB_PASSWORD', (make) => `${make(12)}!`),
  assigned('env-secret', 'APP_SECRET', (make) => make(32, hex)),
  assigned('env-secret', 'SERVICE_TOKEN', (make) => make(30)),
  assigned('env-secret', 'WEATHER_API_KEY', (make) => make(32)),
  {
    kind: 'named-secret',
    write: (make) => `api_key: '§${make(30)}§'`,
    near: () => [
      "api_key: 'changeme'",
      'password: string',
      'max_tokens: 128000',
      'token = getToken(id2)',
      `secret: \${{ secrets.A1 }}`,
    ],
  },
  { kind: 'sendgrid-key', write: (make) => `S${'G'}.${make(22)}.${make(43)}` },
  { kind: 'twilio-key', write: (make) => `S${'K'}${make(32, hex)}` },
  assigned('twilio-auth-token', 'TWILIO_AUTH_TOKEN', (make) => make(32, hex)),
  token('mailgun-key', 'ke' + 'y-', 32, hex),
  { kind: 'mailchimp-key', write: (make) => `${make(32, hex)}-${'us'}14`, near: (make) => [`${make(30, hex)}-us14`] },
  {
    kind: 'discord-token',
    write: (make) => `${basic('912345678901234567').slice(0, 24)}.${make(6)}.${make(38)}`,
    near: (make) => [`${basic('912345678901234567')}`, `www.${make(6)}.com`],
  },
  {
    kind: 'discord-webhook',
    write: (make) => `https://discord.com/api/webhooks/${make(18, '123456789')}/§${make(68)}§`,
    near: () => ['https://discord.com/api/webhooks/1/x'],
  },
  {
    kind: 'telegram-bot-token',
    write: (make) => `${make(10, '123456789')}:${'AA'}${make(33)}`,
    near: () => ['12:AAbc', '10:30:AAA'],
  },
  token('shopify-token', 'shp' + 'at_', 32, hex),
  token('square-token', 'sq0' + 'atp-', 22),
  token('digitalocean-token', 'dop_' + 'v1_', 64, hex),
  {
    kind: 'heroku-api-key',
    write: (make) => `HEROKU_API_KEY=§${uuid(make)}§`,
    near: (make) => [`heroku logs`, uuid(make)],
  },
  assigned('cloudflare-api-token', 'CLOUDFLARE_API_TOKEN', (make) => make(40)),
  assigned('datadog-key', 'DD_API_KEY', (make) => make(32, hex)),
  token('newrelic-key', 'NR' + 'AK-', 27, upper + digits),
  {
    kind: 'sentry-dsn',
    write: (make) => `https://§${make(32, hex)}§@o447951.ingest.sentry.io/5429213`,
    near: () => ['https://o447951.ingest.sentry.io/5429213'],
  },
  token('sentry-token', 'sntry' + 'u_', 64, hex),
  token('linear-token', 'lin_' + 'api_', 40),
  token('notion-token', 'nt' + 'n_', 46),
  token('figma-token', 'fi' + 'gd_', 40),
  assigned('vercel-token', 'VERCEL_TOKEN', (make) => make(24)),
  token('netlify-token', 'nf' + 'p_', 36),
  token('supabase-access-token', 'sb' + 'p_', 40, hex),
  token('databricks-token', 'da' + 'pi', 32, hex),
  { kind: 'grafana-service-account-token', write: (make) => `gl${'sa'}_${make(32)}_${make(8, hex)}` },
  token('vault-token', 'hv' + 's.', 90),
  {
    kind: 'terraform-cloud-token',
    write: (make) => `${make(14)}.atlas${'v1'}.${make(67)}`,
    near: () => ['x.atlasv1.y'],
  },
  token('doppler-token', 'dp.' + 'pt.', 43),
  { kind: 'postman-key', write: (make) => `PM${'AK'}-${make(24, hex)}-${make(34, hex)}` },
  token('age-secret-key', 'AGE-SECRET-' + 'KEY-1', 58, 'QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L'),
  {
    kind: 'curl-password',
    write: (make) => `curl -u deploy:§${make(14)}§ https://git.internal`,
    near: () => ['docker run -u 1000:1000 x'],
  },
];

const pemMisses = [
  `${dashes}BEGIN PUBLIC KEY${dashes}\nabc\n${dashes}END PUBLIC KEY${dashes}`,
  `${dashes}BEGIN ${key}${dashes}\n...\n${dashes}END ${key}${dashes}`,
];
