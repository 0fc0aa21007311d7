// Rules for code hosting, package registries and the tools of developers.
import { type SecretRule, tokenRules } from './rule.ts';

const hex = '[a-fA-F0-9]';
const word = '[A-Za-z0-9]';

const github = 'https://github.com/settings/tokens';
const gitlab = 'https://gitlab.com/-/user_settings/personal_access_tokens';
const atlassian = 'https://id.atlassian.com/manage-profile/security/api-tokens';

export const codeRules: readonly SecretRule[] = tokenRules([
  ['github-token', 'GitHub token', 'ghp_ gho_ ghu_ ghs_ ghr_', 'gh[pousr]_\\w{36,255}', github],
  ['github-fine-grained-token', 'GitHub fine-grained token', 'github_pat_', 'github_pat_\\w{60,255}', github],
  [
    'gitlab-token',
    'GitLab token',
    'glpat- gldt- glrt- glrtr- glcbt- glptt- glft- glsoat- glimt- glagent- gloas- glffct- glwt-',
    'gl(?:pat|dt|rtr?|cbt|ptt|ft|soat|imt|agent|oas|ffct|wt)-[\\w-]{20,300}(?:\\.[\\w.-]{2,40})?',
    gitlab,
  ],
  ['gitlab-token', 'GitLab runner registration token', 'GR1348941', 'GR1348941[\\w-]{20}', gitlab],
  [
    'bitbucket-app-password',
    'Bitbucket app password',
    'ATBB',
    'ATBB[A-Za-z0-9_=-]{24,220}',
    'https://bitbucket.org/account/settings/app-passwords/',
  ],
  [
    'atlassian-api-token',
    'Atlassian API token',
    'ATATT3 ATCTT3 ATSTT3',
    '(?<![-_])AT[ACS]TT3[\\w=-]{50,400}',
    atlassian,
  ],
  ['npm-token', 'npm token', 'npm_', `npm_${word}{36}`, 'https://www.npmjs.com/settings/~/tokens'],
  ['pypi-token', 'PyPI token', 'pypi-Ag', '(?<![-_])pypi-Ag[\\w-]{50,1000}', 'https://pypi.org/manage/account/token/'],
  ['rubygems-key', 'RubyGems key', 'rubygems_', `rubygems_${hex}{48}`, 'https://rubygems.org/profile/api_keys'],
  [
    'docker-hub-token',
    'Docker Hub token',
    'dckr_pat_ dckr_oat_',
    'dckr_[po]at_[\\w-]{27,40}',
    'https://app.docker.com/settings/personal-access-tokens',
  ],
  ['crates-io-token', 'crates.io token', 'cio', `(?<![+/])cio${word}{32}`, 'https://crates.io/settings/tokens'],
  ['nuget-key', 'NuGet key', 'oy2', 'oy2[a-z0-9]{43}', 'https://www.nuget.org/account/apikeys'],
  ['postman-key', 'Postman API key', 'PMAK-', `PMAK-${hex}{24}-${hex}{34}`, 'https://postman.co/settings/me/api-keys'],
  [
    'linear-token',
    'Linear token',
    'lin_api_ lin_oauth_',
    `lin_(?:api|oauth)_${word}{32,64}`,
    'https://linear.app/settings/account/security',
  ],
  [
    'notion-token',
    'Notion token',
    'ntn_ secret_',
    `(?:ntn_${word}{40,50}|secret_${word}{43})`,
    'https://www.notion.so/profile/integrations',
  ],
  [
    'figma-token',
    'Figma token',
    'figd_ figo_ figu_',
    'fig[dou]_[\\w-]{38,60}',
    'Figma, Settings, Security, Personal access tokens',
  ],
  ['sonar-token', 'Sonar token', 'sqp_ squ_ sqa_', `sq[pua]_${hex}{40}`, 'Sonar, My account, Security'],
  [
    'contentful-token',
    'Contentful token',
    'CFPAT-',
    'CFPAT-[\\w-]{43}',
    'https://app.contentful.com/account/profile/cma_tokens',
  ],
]);
