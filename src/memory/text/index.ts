export { Answer, tokensOf, withinTokens } from './answer.ts';
export { cutText, plainRecorded, SecretFilter } from './recorded-text.ts';
