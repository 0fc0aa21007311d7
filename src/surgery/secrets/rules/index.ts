export { codeRules } from './code-rules.ts';
export { commandRules } from './command-rules.ts';
export { namedValueRules } from './named-rules.ts';
export { placeRules } from './place-rules.ts';
export { platformRules } from './platform-rules.ts';
export { isRandomLetters, type SecretRule } from './rule.ts';
export { serviceRules } from './service-rules.ts';
