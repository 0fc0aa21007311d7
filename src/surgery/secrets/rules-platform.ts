// Rules for clouds, hosting and infrastructure. Tables of data: kind, title, keywords, pattern, where to rotate.
import { namedRules, type SecretRule, tokenRules } from './rule.ts';

const hex = '[a-fA-F0-9]';
const word = '[A-Za-z0-9]';
const uuid = `${hex}{8}-${hex}{4}-${hex}{4}-${hex}{4}-${hex}{12}`;

const aws = 'https://console.aws.amazon.com/iam (Users, Security credentials): deactivate, then delete';
const google = 'https://console.cloud.google.com/apis/credentials';
const azure = 'https://portal.azure.com (the storage account or app registration, keys and secrets)';
const cloudflare = 'https://dash.cloudflare.com/profile/api-tokens';
const grafana = 'Grafana, Administration, Service accounts';
const netlify = 'https://app.netlify.com/user/applications';

export const platformRules: readonly SecretRule[] = [
  ...tokenRules([
    ['aws-access-key-id', 'AWS access key id', 'AKIA ASIA ABIA ACCA', 'A(?:KIA|SIA|BIA|CCA)[A-Z2-7]{16}', aws],
    ['gcp-api-key', 'Google API key', 'AIza', 'AIza[\\w-]{35}(?!-)', google],
    ['google-oauth-client-secret', 'Google OAuth client secret', 'GOCSPX-', 'GOCSPX-[\\w-]{28}(?!-)', google],
    [
      'google-oauth-access-token',
      'Google OAuth access token',
      'ya29.',
      'ya29\\.[\\w-]{20,2000}',
      'expires within the hour; revoke at https://myaccount.google.com/permissions',
    ],
    [
      'google-oauth-refresh-token',
      'Google OAuth refresh token',
      '1//0',
      '1//0[\\w-]{20,300}',
      'https://myaccount.google.com/permissions',
    ],
    [
      'digitalocean-token',
      'DigitalOcean token',
      'dop_v1_ doo_v1_ dor_v1_',
      `do[opr]_v1_${hex}{64}`,
      'https://cloud.digitalocean.com/account/api/tokens',
    ],
    [
      'heroku-api-key',
      'Heroku API key',
      'HRKU-',
      `HRKU-(?:${uuid}|[\\w-]{40,100})`,
      'https://dashboard.heroku.com/account (API Key, Regenerate)',
    ],
    ['cloudflare-origin-ca-key', 'Cloudflare Origin CA key', 'v1.0-', `v1\\.0-${hex}{24}-${hex}{146}`, cloudflare],
    [
      'databricks-token',
      'Databricks token',
      'dapi',
      `dapi${hex}{32}(?:-\\d{1,2})?`,
      'Databricks, User settings, Developer, Access tokens',
    ],
    ['vault-token', 'HashiCorp Vault token', 'hvs. hvb. hvr.', 'hv[sbr]\\.[\\w-]{24,300}', 'vault token revoke'],
    [
      'doppler-token',
      'Doppler token',
      'dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.',
      `dp\\.(?:pt|st|ct|sa|scim|audit)\\.(?:[\\w-]{2,40}\\.)?${word}{40,44}`,
      'https://dashboard.doppler.com (Tokens)',
    ],
    [
      'vercel-token',
      'Vercel token',
      'vcp_ vci_ vca_ vcr_ vck_',
      `vc[piark]_${word}{24,80}`,
      'https://vercel.com/account/tokens',
    ],
    [
      'vercel-blob-token',
      'Vercel Blob token',
      'vercel_blob_rw_',
      'vercel_blob_rw_\\w{20,80}',
      'https://vercel.com/dashboard/stores',
    ],
    ['netlify-token', 'Netlify token', 'nfp_ nfc_ nfo_ nfu_', `nf[pcou]_${word}{36,40}`, netlify],
    [
      'supabase-access-token',
      'Supabase access token',
      'sbp_',
      `sbp_(?:v0_)?${hex}{40}`,
      'https://supabase.com/dashboard/account/tokens',
    ],
    [
      'supabase-secret-key',
      'Supabase secret key',
      'sb_secret_',
      'sb_secret_[\\w-]{20,80}',
      'Supabase, Project settings, API keys',
    ],
    ['grafana-service-account-token', 'Grafana service account token', 'glsa_', `glsa_${word}{32}_${hex}{8}`, grafana],
    ['grafana-cloud-token', 'Grafana Cloud token', 'glc_', 'glc_[A-Za-z0-9+/]{32,400}={0,2}', grafana],
    [
      'planetscale-token',
      'PlanetScale token',
      'pscale_',
      'pscale_(?:tkn|pw|oauth)_[\\w.=-]{32,64}',
      'PlanetScale, Settings, Service tokens',
    ],
    [
      'fly-token',
      'Fly.io token',
      'fo1_ fm1r_ fm2_',
      '(?:fo1_[\\w-]{43}|fm(?:1r|2)_[A-Za-z0-9+/]{60,2000}={0,3})',
      'fly tokens revoke',
    ],
    ['render-api-key', 'Render API key', 'rnd_', `rnd_${word}{32}`, 'https://dashboard.render.com/u/settings'],
    ['pulumi-token', 'Pulumi token', 'pul-', `pul-${hex}{40}`, 'https://app.pulumi.com/account/tokens'],
    [
      'dynatrace-token',
      'Dynatrace token',
      'dt0c01. dt0s01. dt0s16.',
      'dt0[cs]\\d\\d\\.[A-Z0-9]{24}\\.[A-Z0-9]{64}',
      'Dynatrace, Access tokens',
    ],
    [
      'alibaba-access-key-id',
      'Alibaba Cloud access key id',
      'LTAI',
      `(?<![+/])LTAI${word}{12,26}`,
      'https://ram.console.aliyun.com/manage/ak',
    ],
    [
      'onepassword-service-token',
      '1Password service account token',
      'ops_eyJ',
      '(?<![-_])ops_eyJ[\\w-]{200,2000}={0,3}',
      '1Password, Developer, Service accounts',
    ],
    [
      'age-secret-key',
      'age secret key',
      'AGE-SECRET-KEY-1',
      'AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}',
      'make a new key with age-keygen and encrypt the files again',
    ],
  ]),
  {
    kind: 'azure-client-secret',
    title: 'Azure client secret',
    // Two fixed characters in the fourth and fifth place; with the digit before them they make a keyword.
    keywords: Array.from({ length: 10 }, (_, digit) => `${digit}Q~`),
    exact: true,
    lead: [3],
    pattern: /[\w~.]{3}\dQ~[\w~.-]{31,34}(?![\w~.-])/y,
    certainty: 'form',
    rotate: azure,
  },
  {
    kind: 'terraform-cloud-token',
    title: 'Terraform Cloud token',
    keywords: ['.atlasv1.'],
    lead: [14],
    pattern: /[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{60,72}(?![\w=-])/y,
    certainty: 'form',
    rotate: 'https://app.terraform.io/app/settings/tokens',
  },
  {
    kind: 'azure-storage-key',
    title: 'Azure storage or service bus key',
    keywords: ['AccountKey=', 'SharedAccessKey='],
    pattern: /(?:Account|SharedAccess)Key=([A-Za-z0-9+/]{42,86}={1,2})/iy,
    grouped: true,
    inWord: true,
    certainty: 'form',
    rotate: azure,
  },
  {
    kind: 'azure-sas-signature',
    title: 'Azure shared access signature',
    keywords: ['&sig=', '?sig='],
    pattern: /[&?]sig=([A-Za-z0-9%+/]{42,100}(?:=|%3D))/iy,
    grouped: true,
    inWord: true,
    certainty: 'form',
    rotate: azure,
  },
  ...namedRules([
    [
      'aws-secret-access-key',
      'AWS secret access key',
      'aws_secret secret_access_key secretaccesskey aws_sec',
      '[A-Za-z0-9/+]{40}',
      aws,
    ],
    [
      'aws-session-token',
      'AWS session token',
      'session_token sessiontoken security_token',
      '[A-Za-z0-9/+]{100,2000}={0,2}',
      'expires by itself; revoke the role’s sessions in IAM',
    ],
    [
      'azure-storage-key',
      'Azure storage account key',
      'account_key accountkey azure_storage',
      '[A-Za-z0-9/+]{86}==',
      azure,
    ],
    ['heroku-api-key', 'Heroku API key', 'heroku', uuid, 'https://dashboard.heroku.com/account (API Key, Regenerate)'],
    [
      'cloudflare-api-token',
      'Cloudflare API token',
      'cloudflare cf_api cf_token cf_key x-auth-key',
      `(?:[\\w-]{40}|${hex}{37})`,
      cloudflare,
    ],
    [
      'datadog-key',
      'Datadog API or application key',
      'dd_api dd_app datadog dd-api dd-app ddapikey',
      `${hex}{32}(?:${hex}{8})?`,
      'https://app.datadoghq.com/organization-settings/api-keys',
    ],
    ['vercel-token', 'Vercel token', 'vercel', `${word}{24}`, 'https://vercel.com/account/tokens'],
    ['netlify-token', 'Netlify token', 'netlify', '[\\w-]{40,46}', netlify],
    [
      'vault-token',
      'HashiCorp Vault token',
      'vault_token vault-token vaulttoken',
      's\\.[A-Za-z0-9]{24}',
      'vault token revoke',
    ],
    [
      'gcp-private-key-id',
      'Google service account key id',
      'private_key_id',
      `${hex}{40}`,
      'https://console.cloud.google.com/iam-admin/serviceaccounts',
    ],
  ]),
];
