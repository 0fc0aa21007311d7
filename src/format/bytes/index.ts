export { type Edit, editJson, type JsonPath } from './edit.ts';
export {
  decodeString,
  findMember,
  isWhitespace,
  skipKey,
  skipScalar,
  skipString,
  skipValue,
  skipWhitespace,
  type ValueTrace,
} from './json-bytes.ts';
export { checkJson, type JsonCheck } from './json-check.ts';
export { type Layout, layoutLike } from './layout.ts';
export { countMembers, hasSameMembers, parseWithout } from './members.ts';
