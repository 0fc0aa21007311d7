// Rules for model providers, messaging, payment and other services.
import { isUuid } from '../../../base/text/index.ts';
import { isBasicPair, looksLikeSecret, looksRandom, namedRules, type SecretRule, tokenRules } from './rule.ts';

const hex = '[a-fA-F0-9]';
const word = '[A-Za-z0-9]';
const uuid = `${hex}{8}-${hex}{4}-${hex}{4}-${hex}{4}-${hex}{12}`;

const anthropic = 'https://console.anthropic.com/settings/keys';
const openai = 'https://platform.openai.com/api-keys';
const slack = 'https://api.slack.com/apps (OAuth & Permissions, Revoke)';
const stripe = 'https://dashboard.stripe.com/apikeys';
const sentry = 'https://sentry.io/settings/account/api/auth-tokens/';
const square = 'https://developer.squareup.com/apps';
const twilio = 'https://console.twilio.com (Account, API keys and tokens)';
const discord = 'https://discord.com/developers/applications (Bot, Reset Token)';

const modelRules = tokenRules([
  ['anthropic-key', 'Anthropic key', 'sk-ant-', 'sk-ant-(?:api|oat|ort|admin|sid)\\d{0,2}-[\\w-]{20,300}', anthropic],
  ['openai-key', 'OpenAI key', 'sk-', `sk-(?:(?:proj|svcacct|admin|None)-[\\w-]{32,300}|${word}{32,64})`, openai],
  ['openrouter-key', 'OpenRouter key', 'sk-or-', `sk-or-(?:v1-)?${hex}{48,64}`, 'https://openrouter.ai/settings/keys'],
  ['langfuse-secret-key', 'Langfuse secret key', 'sk-lf-', `sk-lf-${uuid}`, 'Langfuse, Project settings, API keys'],
  [
    'huggingface-token',
    'Hugging Face token',
    'hf_ api_org_',
    `(?:hf|api_org)_${word}{34,40}`,
    'https://huggingface.co/settings/tokens',
  ],
  ['groq-key', 'Groq key', 'gsk_', `gsk_${word}{48,56}`, 'https://console.groq.com/keys'],
  ['xai-key', 'xAI key', 'xai-', `xai-${word}{70,90}`, 'https://console.x.ai'],
  ['perplexity-key', 'Perplexity key', 'pplx-', `pplx-${word}{40,64}`, 'https://www.perplexity.ai/settings/api'],
  ['replicate-token', 'Replicate token', 'r8_', `r8_${word}{37}`, 'https://replicate.com/account/api-tokens'],
  ['tavily-key', 'Tavily key', 'tvly-', 'tvly-[\\w-]{20,60}', 'https://app.tavily.com'],
]);

const messagingRules: readonly SecretRule[] = [
  ...tokenRules([
    [
      'slack-token',
      'Slack token',
      'xoxb- xoxp- xoxa- xoxe- xoxe. xoxo- xoxr- xoxs- xoxc- xoxd-',
      'xox[abceoprsd](?:[.-](?:[A-Za-z0-9+/=]|%2[BbFf]|%3[Dd]){1,400}){1,8}',
      slack,
    ],
    ['slack-app-token', 'Slack app token', 'xapp-', 'xapp-\\d-[A-Z0-9]{8,14}-\\d{8,16}-[a-f0-9]{32,80}', slack],
    [
      'sendgrid-key',
      'SendGrid key',
      'SG.',
      'SG\\.[\\w-]{22}\\.[\\w-]{43}',
      'https://app.sendgrid.com/settings/api_keys',
    ],
    ['brevo-key', 'Brevo key', 'xkeysib-', `xkeysib-${hex}{64}-${word}{16}`, 'https://app.brevo.com/settings/keys/api'],
    ['mailgun-key', 'Mailgun key', 'key-', 'key-[a-f0-9]{32}', 'https://app.mailgun.com/settings/api_security'],
    ['resend-key', 'Resend key', 're_', `re_${word}{8}_${word}{22,26}`, 'https://resend.com/api-keys'],
  ]),
  {
    kind: 'slack-webhook',
    title: 'Slack webhook',
    keywords: ['hooks.slack.com/'],
    pattern:
      /hooks\.slack\.com\/(?:services|workflows|triggers)\/([A-Za-z0-9]{8,14}\/[A-Za-z0-9]{8,24}\/[A-Za-z0-9/]{16,60})/iy,
    grouped: true,
    inWord: true,
    certainty: 'form',
    check: looksRandom,
    rotate: slack,
  },
  {
    kind: 'teams-webhook',
    title: 'Microsoft Teams webhook',
    keywords: ['/IncomingWebhook/'],
    pattern: /\/IncomingWebhook\/([a-f0-9]{32}\/[\w-]{36}(?:\/[\w-]{20,80})?)/iy,
    grouped: true,
    inWord: true,
    certainty: 'form',
    check: looksRandom,
    rotate: 'Teams, the channel, Connectors: delete the webhook',
  },
  {
    kind: 'fcm-server-key',
    title: 'Firebase Cloud Messaging server key',
    keywords: [':APA91b'],
    exact: true,
    lead: [11],
    pattern: /AAAA[\w-]{7}:APA91b[\w-]{130,140}/y,
    certainty: 'form',
    check: looksRandom,
    rotate: 'https://console.firebase.google.com (Project settings, Cloud Messaging)',
  },
  {
    kind: 'discord-webhook',
    title: 'Discord webhook',
    keywords: ['/api/webhooks/'],
    pattern: /\/api\/webhooks\/\d{15,21}\/([\w-]{56,80})/y,
    grouped: true,
    inWord: true,
    certainty: 'form',
    check: looksRandom,
    rotate: 'Discord, Channel settings, Integrations: delete the webhook',
  },
  {
    kind: 'discord-token',
    title: 'Discord bot token',
    // It starts with a number in base64, which has 120 possible starts of three characters.
    keywords: ['M', 'N', 'O'].flatMap((a) => [...'DTjz'].flatMap((b) => [...'AEIMQUYcgk'].map((c) => a + b + c))),
    exact: true,
    pattern: /[MNO][DTjz][\w-]{21,24}\.[\w-]{6}\.[\w-]{27,45}(?![\w-])/y,
    certainty: 'form',
    check: looksRandom,
    rotate: discord,
  },
  {
    kind: 'telegram-bot-token',
    title: 'Telegram bot token',
    keywords: [':AA'],
    exact: true,
    lead: [10, 9, 8],
    pattern: /\d{8,10}:AA[\w-]{33}(?![\w-])/y,
    // The Bot API writes it after the word bot: /bot123:AA…/sendMessage.
    inWord: true,
    certainty: 'form',
    check: looksRandom,
    rotate: 'https://t.me/BotFather (/revoke)',
  },
  {
    kind: 'twilio-key',
    title: 'Twilio API key',
    keywords: [...'0123456789abcdef'].map((digit) => `SK${digit}`),
    exact: true,
    pattern: /SK[a-f0-9]{32}(?![A-Za-z0-9])/y,
    certainty: 'form',
    check: looksRandom,
    rotate: twilio,
  },
  {
    kind: 'mailchimp-key',
    title: 'Mailchimp key',
    keywords: ['-us'],
    exact: true,
    lead: [32],
    pattern: /[a-f0-9]{32}-us\d{1,2}(?![A-Za-z0-9])/y,
    certainty: 'form',
    check: looksRandom,
    rotate: 'Mailchimp, Account, Extras, API keys',
  },
];

const businessRules: readonly SecretRule[] = [
  ...tokenRules([
    [
      'stripe-key',
      'Stripe key',
      'sk_live_ sk_test_ rk_live_ rk_test_ sk_org_',
      `[sr]k_(?:live|test|org)_${word}{16,250}`,
      stripe,
    ],
    [
      'stripe-webhook-secret',
      'Stripe webhook secret',
      'whsec_',
      'whsec_[A-Za-z0-9+/]{24,120}={0,2}',
      'https://dashboard.stripe.com/webhooks',
    ],
    [
      'shopify-token',
      'Shopify token',
      'shpat_ shpca_ shppa_ shpss_ shpua_',
      `shp(?:at|ca|pa|ss|ua)_${hex}{32}`,
      'Shopify admin, Apps, Develop apps',
    ],
    [
      'square-token',
      'Square token',
      'EAAA sq0atp- sq0csp-',
      '(?:EAAA[\\w-]{60}|sq0atp-[\\w-]{22}|sq0csp-[\\w-]{43})',
      square,
    ],
    [
      'newrelic-key',
      'New Relic key',
      'NRAK- NRII- NRAA- NRRA- NRIQ- NRSP-',
      'NR(?:AK|II|AA|RA|IQ|SP)-[A-Za-z0-9_-]{27,42}',
      'https://one.newrelic.com/api-keys',
    ],
    ['sentry-token', 'Sentry auth token', 'sntrys_ sntryu_', `sntry(?:s_eyJ[\\w+/=-]{40,400}|u_${hex}{64})`, sentry],
    [
      'mapbox-token',
      'Mapbox secret token',
      'sk.eyJ',
      'sk\\.eyJ[\\w-]{40,200}\\.[\\w-]{20,40}',
      'https://account.mapbox.com/access-tokens',
    ],
    [
      'hubspot-token',
      'HubSpot token',
      'pat-na pat-eu',
      `pat-(?:na|eu)\\d-${uuid}`,
      'HubSpot, Settings, Integrations, Private apps',
    ],
    [
      'dropbox-token',
      'Dropbox token',
      'sl.',
      'sl\\.(?:u\\.)?[\\w-]{120,1500}',
      'https://www.dropbox.com/developers/apps',
    ],
  ]),
  {
    kind: 'sentry-dsn',
    title: 'Sentry DSN with its key',
    keywords: ['https://'],
    pattern: /https:\/\/([a-f0-9]{32}(?::[a-f0-9]{32})?)@[\w.-]{1,100}\/\d{1,20}(?!\d)/y,
    grouped: true,
    certainty: 'form',
    check: looksRandom,
    rotate: 'Sentry, Project settings, Client keys (DSN)',
  },
  {
    kind: 'npm-auth',
    title: 'npm registry password',
    keywords: ['_authToken', '_auth', '_password'],
    exact: true,
    pattern: /_(?:authToken|auth|password)[ ]{0,2}=[ ]{0,2}["']?([\w+/=.-]{12,400})/y,
    grouped: true,
    certainty: 'place',
    check: (value) => isUuid(value) || isBasicPair(value) || looksLikeSecret(value),
    rotate: 'https://www.npmjs.com/settings/~/tokens',
  },
  ...namedRules([
    [
      'bitbucket-secret',
      'Bitbucket client secret',
      'bitbucket',
      `${word}{32,64}`,
      'Bitbucket, Workspace settings, OAuth consumers',
    ],
    [
      'airtable-token',
      'Airtable token',
      'airtable',
      `pat${word}{14}\\.${hex}{64}`,
      'https://airtable.com/create/tokens',
    ],
    ['twilio-auth-token', 'Twilio auth token', 'twilio', `${hex}{32}`, twilio],
    [
      'mailgun-key',
      'Mailgun key',
      'mailgun',
      `${hex}{32}-${hex}{8}-${hex}{8}`,
      'https://app.mailgun.com/settings/api_security',
    ],
    ['discord-secret', 'Discord client secret', 'discord', '[\\w-]{32}', discord],
    [
      'newrelic-key',
      'New Relic licence key',
      'new_relic newrelic',
      `(?:${hex}{36}NRAL|${hex}{40})`,
      'https://one.newrelic.com/api-keys',
    ],
  ]),
];

export const serviceRules: readonly SecretRule[] = [...modelRules, ...messagingRules, ...businessRules];
