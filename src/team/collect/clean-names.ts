// Texts and names of a session → the same without secrets. Names of tools and models leave the machine at the lowest level,
// so what is not a name is replaced too.
import type { JsonObject, JsonValue } from '../../base/json/index.ts';
import { isArray, isObject } from '../../base/json/index.ts';
import { Placeholders, type RuleSet, redactText } from '../../surgery/secrets/index.ts';

/** What any API accepts as the name of a tool or model, and nothing that is a sentence. */
const namePattern = /^[\x21-\x7e]{1,200}$/;

/** Replaces what is not a name, and secrets in names. */
export function nameCleaner(ruleSet: RuleSet): (name: string) => string {
  const known = new Map<string, string>();
  return (name) => {
    let clean = known.get(name);
    if (clean === undefined) {
      clean = namePattern.test(name) ? redactText(name, new Placeholders(), ruleSet).text : '(not a name)';
      known.set(name, clean);
    }
    return clean;
  };
}

export type CleanText = (text: string) => string;

export function textCleaner(ruleSet: RuleSet): CleanText {
  const placeholders = new Placeholders();
  return (text) => redactText(text, placeholders, ruleSet).text;
}

/** Every string in the value; the names of its members are ours. */
export function cleanJson<T extends JsonValue>(value: T, clean: CleanText): T {
  const inner = (each: JsonValue): JsonValue => {
    if (typeof each === 'string') return clean(each);
    if (isArray(each)) return each.map(inner);
    if (!isObject(each)) return each;
    const members: JsonObject = Object.fromEntries(
      Object.entries(each).map(([key, member]) => [key, member === undefined ? null : inner(member)]),
    );
    return members;
  };
  return inner(value) as T;
}
