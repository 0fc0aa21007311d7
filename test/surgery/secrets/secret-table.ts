// One line per rule and per form of it: the kind, and a text in which « » surround exactly what must be replaced. The
// bodies are slices of fixed texts and prefixes are cut by ¦, so that the repository holds nothing that looks real.

export interface SecretRow {
  readonly kind: string;
  /** The text before the secret, the secret, and the text after it. */
  readonly before: string;
  readonly value: string;
  readonly after: string;
}

export const secretRows: readonly SecretRow[] = rows().map(([kind, written]) => {
  const text = written.replaceAll('¦', '');
  const [before, value, after] = text.includes('«') ? text.split(/[«»]/) : ['', text, ''];
  if (before === undefined || !value || after === undefined) throw new Error(`no secret is marked in ${written}`);
  return { kind, before, value, after };
});

/** `length` letters and digits. */
export function word(length: number): string {
  return 'k7Rq2mZx9TbX4vLc8NpW1sYd6JgF3aKe5UoVtEiB0HhQfMrPyGnDwSjCuAlO'.repeat(40).slice(0, length);
}

function hex(length: number): string {
  return '9f3a7c1e5b8d2046a1c3e5f7092b4d68'.repeat(8).slice(0, length);
}

function base64(length: number): string {
  return 'k7Rq2mZx9+bX4vLc8NpW1sYd/JgF3aKe5UoVt+iB0HhQfMrPyGnDwSjCuAlO'.repeat(40).slice(0, length);
}

function upper(length: number): string {
  return 'K7RQ2MZX5TBX4VLC3NPW6SYDA2JGF'.repeat(4).slice(0, length);
}

function rows(): readonly (readonly [kind: string, written: string])[] {
  const uuid = '9f3a7c1e-5b8d-4046-a1c3-e5f7092b4d68';
  const pem = (label: string): string =>
    `-----BEGIN ${label}PRIVATE ¦KEY-----\n${base64(60)}\n${base64(50)}\n-----END ${label}PRIVATE ¦KEY-----`;
  return [
    // Clouds
    ['aws-access-key-id', `AK¦IA${upper(16)}`],
    ['aws-access-key-id', `AS¦IA${upper(16)}`],
    ['aws-access-key-id', `AB¦IA${upper(16)}`],
    ['aws-access-key-id', `AC¦CA${upper(16)}`],
    ['aws-secret-access-key', `aws_secret_access_key = «${base64(40)}»`],
    ['aws-secret-access-key', `"secretAccessKey": "«${base64(40)}»"`],
    ['aws-session-token', `AWS_SESSION_TOKEN=«${base64(120)}==»`],
    ['gcp-api-key', `AI¦za${word(35)}`],
    ['google-oauth-client-secret', `GOC¦SPX-${word(28)}`],
    ['google-oauth-access-token', `ya¦29.${word(60)}`],
    ['google-oauth-refresh-token', `1/¦/0${word(40)}`],
    ['gcp-service-account-key', `{"private_key": "«${pem('').replaceAll('\n', '\\n')}»"}`],
    ['gcp-private-key-id', `{"private_key_id": "«${hex(40)}»"}`],
    ['azure-storage-key', `AccountName=dev;AccountKey=«${base64(86)}==»;`],
    ['azure-storage-key', `SharedAccessKeyName=root;SharedAccessKey=«${base64(43)}=»`],
    ['azure-storage-key', `azure_storage_key: «${base64(86)}==»`],
    ['azure-client-secret', `abC8Q¦~${word(34)}`],
    ['azure-sas-signature', `https://dev.blob.core.windows.net/a?sv=2024&sig=«${word(44)}%3D»&se=2030`],
    ['digitalocean-token', `dop_¦v1_${hex(64)}`],
    ['digitalocean-token', `doo_¦v1_${hex(64)}`],
    ['heroku-api-key', `HR¦KU-${uuid}`],
    ['heroku-api-key', `HEROKU_API_KEY=«${uuid}»`],
    ['cloudflare-api-token', `CLOUDFLARE_API_TOKEN=«${word(40)}»`],
    ['cloudflare-api-token', `X-Auth-Key: «${hex(37)}»`],
    ['cloudflare-origin-ca-key', `v1.¦0-${hex(24)}-${hex(146)}`],
    ['alibaba-access-key-id', `LT¦AI${word(20)}`],
    ['fly-token', `fo¦1_${word(43)}`],
    ['fly-token', `fm¦2_${base64(80)}==`],
    ['render-api-key', `rn¦d_${word(32)}`],
    ['vercel-token', `vc¦p_${word(24)}`],
    ['vercel-token', `VERCEL_TOKEN=«${word(24)}»`],
    ['vercel-blob-token', `vercel_¦blob_rw_${word(40)}`],
    ['netlify-token', `nf¦p_${word(36)}`],
    ['netlify-token', `NETLIFY_AUTH_TOKEN=«${word(43)}»`],
    ['supabase-access-token', `sb¦p_${hex(40)}`],
    ['supabase-secret-key', `sb_¦secret_${word(31)}`],
    ['planetscale-token', `pscale_¦tkn_${word(43)}`],
    ['databricks-token', `da¦pi${hex(32)}`],
    // Infrastructure
    ['vault-token', `hv¦s.${word(90)}`],
    ['vault-token', `VAULT_TOKEN=«s.${word(24)}»`],
    ['terraform-cloud-token', `${word(14)}.atlas¦v1.${word(67)}`],
    ['pulumi-token', `pu¦l-${hex(40)}`],
    ['doppler-token', `dp.¦pt.${word(43)}`],
    ['onepassword-service-token', `ops_¦eyJ${word(250)}`],
    ['age-secret-key', `AGE-SECRET-¦KEY-1${'QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L'.repeat(2).slice(0, 58)}`],
    ['grafana-service-account-token', `gl¦sa_${word(32)}_${hex(8)}`],
    ['grafana-cloud-token', `gl¦c_${base64(60)}==`],
    ['datadog-key', `DD_API_KEY=«${hex(32)}»`],
    ['dynatrace-token', `dt0¦c01.${upper(24)}.${upper(64)}`],
    ['newrelic-key', `NR¦AK-${upper(27)}`],
    ['newrelic-key', `NEW_RELIC_LICENSE_KEY=«${hex(36)}NRAL»`],
    ['sentry-token', `sntry¦u_${hex(64)}`],
    ['sentry-token', `sntry¦s_eyJ${word(60)}`],
    ['sentry-dsn', `https://«${hex(32)}»@o447951.ingest.sentry.io/5429213`],
    // Code
    ['github-token', `gh¦p_${word(36)}`],
    ['github-token', `gh¦o_${word(36)}`],
    ['github-token', `gh¦u_${word(36)}`],
    ['github-token', `gh¦s_${word(36)}`],
    ['github-token', `gh¦r_${word(76)}`],
    ['github-fine-grained-token', `github_¦pat_${word(22)}_${word(59)}`],
    ['gitlab-token', `gl¦pat-${word(20)}`],
    ['gitlab-token', `gl¦rt-${word(20)}`],
    ['bitbucket-app-password', `AT¦BB${word(32)}`],
    ['bitbucket-secret', `bitbucket_client_secret: "«${word(32)}»"`],
    ['atlassian-api-token', `ATA¦TT3${word(186)}`],
    ['npm-token', `np¦m_${word(36)}`],
    ['npm-auth', `//registry.internal/:_authToken=«${word(30)}»`],
    ['pypi-token', `py¦pi-Ag${word(120)}`],
    ['rubygems-key', `ruby¦gems_${hex(48)}`],
    ['crates-io-token', `ci¦o${word(32)}`],
    ['nuget-key', `oy¦2${word(43).toLowerCase()}`],
    ['docker-hub-token', `dckr_¦pat_${word(27)}`],
    ['postman-key', `PM¦AK-${hex(24)}-${hex(34)}`],
    ['sonar-token', `sq¦p_${hex(40)}`],
    ['linear-token', `lin_¦api_${word(40)}`],
    ['notion-token', `nt¦n_${word(46)}`],
    ['notion-token', `secret_¦${word(43)}`],
    ['figma-token', `fi¦gd_${word(40)}`],
    ['contentful-token', `CF¦PAT-${word(43)}`],
    // Models
    ['anthropic-key', `sk-¦ant-api03-${word(95)}`],
    ['anthropic-key', `sk-¦ant-oat01-${word(95)}`],
    ['openai-key', `sk-¦${word(48)}`],
    ['openai-key', `sk-¦proj-${word(120)}`],
    ['openrouter-key', `sk-¦or-v1-${hex(64)}`],
    ['huggingface-token', `h¦f_${word(34)}`],
    ['groq-key', `gs¦k_${word(52)}`],
    ['xai-key', `xa¦i-${word(80)}`],
    ['perplexity-key', `ppl¦x-${word(48)}`],
    ['replicate-token', `r¦8_${word(37)}`],
    ['tavily-key', `tv¦ly-${word(32)}`],
    ['langfuse-secret-key', `sk-¦lf-${uuid}`],
    // Messages and money
    ['slack-token', `xo¦xb-123456789012-1234567890123-${word(24)}`],
    ['slack-token', `xo¦xe.xoxp-1-${word(60)}`],
    ['slack-token', `xo¦xd-${word(30)}%2B${word(20)}%2F${word(20)}%3D%3D`],
    ['slack-app-token', `xa¦pp-1-${upper(11)}-1234567890123-${hex(64)}`],
    ['slack-webhook', `https://hooks.slack.com/services/«T${upper(10)}/B${upper(10)}/${word(24)}»`],
    ['discord-token', `MTIz¦NDU2Nzg5MDEyMzQ1Njc4.${word(6)}.${word(38)}`],
    ['discord-webhook', `https://discord.com/api/webhooks/912345678901234567/«${word(68)}»`],
    ['discord-secret', `DISCORD_CLIENT_SECRET=«${word(32)}»`],
    ['telegram-bot-token', `https://api.telegram.org/bot«1234567891:¦AA${word(33)}»/sendMessage`],
    ['telegram-bot-token', `12345678:¦AA${word(33)}`],
    ['twilio-key', `S¦K${hex(32)}`],
    ['twilio-auth-token', `TWILIO_AUTH_TOKEN=«${hex(32)}»`],
    ['sendgrid-key', `S¦G.${word(22)}.${word(43)}`],
    ['mailgun-key', `ke¦y-${hex(32)}`],
    ['mailgun-key', `MAILGUN_KEY=«${hex(32)}-${hex(8)}-${hex(8)}»`],
    ['mailchimp-key', `${hex(32)}-¦us14`],
    ['brevo-key', `xkey¦sib-${hex(64)}-${word(16)}`],
    ['resend-key', `r¦e_${word(8)}_${word(24)}`],
    ['stripe-key', `sk_¦live_${word(24)}`],
    ['stripe-key', `rk_¦test_${word(24)}`],
    ['stripe-webhook-secret', `wh¦sec_${word(32)}`],
    ['shopify-token', `shp¦at_${hex(32)}`],
    ['square-token', `sq0¦atp-${word(22)}`],
    ['square-token', `EA¦AA${word(60)}`],
    ['hubspot-token', `pat-¦na1-${uuid}`],
    ['dropbox-token', `s¦l.${word(130)}`],
    ['airtable-token', `AIRTABLE_TOKEN=«pat${word(14)}.${hex(64)}»`],
    ['mapbox-token', `sk.¦eyJ${word(60)}.${word(22)}`],
    ['fcm-server-key', `AAAA${word(7)}:APA¦91b${word(134)}`],
    ['teams-webhook', `https://corp.webhook.office.com/webhookb2/${uuid}@${uuid}/IncomingWebhook/«${hex(32)}/${uuid}»`],
    ['gitlab-token', `GR¦1348941${word(20)}`],
    ['wireguard-key', `PrivateKey = «${base64(43)}=»`],
    ['presigned-url', `https://b.s3.amazonaws.com/x?X-Amz-Signature=«${hex(64)}»`],
    ['vault-unseal-key', `Unseal Key 1: «${base64(43)}=»`],
    ['kubernetes-key', `client-key-data: «${base64(120)}»`],
    ['kubernetes-key', 'kubeadm join --token «abcdef.0123456789abcdef» 10.0.0.1'],
    ['registry-auth', '{"auths": {"ghcr.io": {"auth": "«ZGVwbG95OnJpZGdlbGluZQ==»"}}}'],
    ['ansible-vault', `$ANSIBLE_VAULT;1.1;AES256\n«${hex(80)}\n${hex(80)}»\n`],
    ['password-hash', `root:«$6$¦${word(16)}$${word(86)}»:19700:0`],
    ['file-password', 'machine api.internal\n  login bob\n  password «k7Rq2mZx»\n'],
    ['file-password', 'db.internal:5432:main:app:«k7Rq2mZx9T»'],
    // Without a vendor
    ['private-key', pem('RSA ')],
    ['private-key', pem('OPENSSH ')],
    ['private-key', `head -3 key: «-----BEGIN PRIVATE ¦KEY-----\n${base64(60)}\n${base64(50)}\n»(cut)`],
    ['jwt', `eyJ¦hbGciOiJIUzI1NiJ9.eyJzdWIiOiJrN1JxMm0ifQ.${word(43)}`],
    ['connection-string-password', 'postgres://app:«k7Rq2mZx»@db.internal:5432/main'],
    ['connection-string-password', 'mongodb+srv://app:«k7Rq»@db.internal/main'],
    ['connection-string-password', 'redis://:«k7Rq2mZx»@cache:6379'],
    ['connection-string-password', 'jdbc:postgresql://db/main?user=app&password=«k7Rq2mZx»'],
    ['connection-string-password', 'Server=db.internal;Database=main;User Id=app;Password=«k7Rq2mZx»;'],
    ['url-password', 'https://deploy:«k7Rq2mZx»@git.internal.net/repo.git'],
    ['url-password', `https://«${word(30)}»@git.internal.net/repo.git`],
    ['authorization-header', `Authorization: Bearer «${word(40)}»`],
    // deploy:ridgeline, a password without a digit
    ['authorization-header', 'Authorization: Basic «ZGVwbG95OnJpZGdlbGluZQ==»'],
    ['curl-password', 'curl -u deploy:«k7Rq2mZx» https://git.internal'],
    ['cookie', `Cookie: theme=dark; sid=«${word(32)}»; lang=en`],
    ['cookie', `connect.sid=«${word(32)}»`],
    ['env-secret', 'DB_PASSWORD=«k7Rq2mZx!»'],
    ['env-secret', 'DB_PASSWORD=«winter24»'],
    ['env-secret', 'export SMTP_PASS="«two k7Rq words»"'],
    ['named-secret', `api_key: '«${word(30)}»'`],
    ['named-secret', 'spring.datasource.password=«k7Rq2mZx»'],
    ['named-secret', '<password>«k7Rq2mZx»</password>'],
    ['command-line-secret', 'deploy --password «k7Rq2mZx» --force'],
    ['command-line-secret', 'sshpass -p «k7Rq2mZx» ssh host'],
    ['command-line-secret', 'mysql -u root -p«k7Rq2mZx» main'],
  ];
}
