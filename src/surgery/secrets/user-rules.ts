// Reads the user's own rules and exceptions from a JSON file. Every mistake is an error that names the rule, because a rule
// that is silently ignored would leave a secret in place.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { systemErrorCode, UserError } from '../../base/errors/index.ts';
import { readRegularText } from '../../base/files/index.ts';
import { isArray, isObject, type JsonObject, type JsonValue, parseJson } from '../../base/json/index.ts';
import { bundledRules, makeRuleSet, type RuleSet } from './find.ts';
import type { SecretRule } from './rules/index.ts';
import { shortestKeyword } from './view.ts';

/** More repetitions or alternatives of variable length can be slow even within a window. */
const mostVariable = 8;

interface Group {
  repeats: boolean;
  chooses: boolean;
}

/** `undefined` for a safe pattern. The pattern must be valid. */
function costProblem(pattern: string): string | undefined {
  const stack: Group[] = [{ repeats: false, chooses: false }];
  let closed: Group | undefined;
  let variable = 0;
  for (let i = 0; i < pattern.length; i++) {
    const character = pattern.charAt(i);
    const group = stack.at(-1) as Group; // RegExp accepted the parentheses, so the stack is never empty
    const repetition = repetitionAt(pattern, i);
    if (repetition !== undefined) {
      const { length, many, isVariable } = repetition;
      if (many && closed !== undefined && (closed.repeats || closed.chooses))
        return 'a repeated group with a repetition or a choice inside can take for ever';
      if (isVariable) variable++;
      if (isVariable) group.repeats = true;
      i += length - 1;
    } else if (character === '|') group.chooses = true;
    closed = undefined;
    if (character === '\\') i += pattern.charAt(i + 1) === 'k' ? 0 : 1;
    else if (character === '[') i = classEnd(pattern, i);
    else if (character === '(') stack.push({ repeats: false, chooses: false });
    else if (character === ')') {
      closed = stack.pop();
      const outer = stack.at(-1);
      if (outer !== undefined && closed !== undefined) {
        outer.repeats ||= closed.repeats;
        outer.chooses ||= closed.chooses;
      }
    }
  }
  if (/\\[1-9]|\\k</.test(pattern)) return 'references to groups are not supported';
  return variable > mostVariable ? `more than ${mostVariable} repetitions of varying length` : undefined;
}

function repetitionAt(pattern: string, at: number): { length: number; many: boolean; isVariable: boolean } | undefined {
  const found = /^(?:[*+?]|\{(\d+)(,?)(\d*)\})\??/.exec(pattern.slice(at, at + 24));
  if (found === null || (found[0].startsWith('?') && pattern.charAt(at - 1) === '(' && pattern.charAt(at - 2) !== '\\'))
    return undefined;
  const [text, least, comma, most] = found;
  if (least === undefined) return { length: text.length, many: !text.startsWith('?'), isVariable: true };
  const isEndless = comma === ',' && most === '';
  return {
    length: text.length,
    many: isEndless || Number(most === '' ? least : most) > 4,
    isVariable: comma === ',' && least !== most,
  };
}

function classEnd(pattern: string, at: number): number {
  for (let i = at + 1; i < pattern.length; i++) {
    if (pattern.charAt(i) === '\\') i++;
    else if (pattern.charAt(i) === ']') return i;
  }
  return pattern.length;
}

/** The bundled rules, and those of `redact.json` in Clew's state folder if it exists. */
export function usualRuleSet(stateFolder: string): RuleSet {
  const file = path.join(stateFolder, 'redact.json');
  return existsSync(file) ? loadRuleSet(file) : makeRuleSet();
}

export function loadRuleSet(file: string): RuleSet {
  return parseRuleSet(readRules(file), file);
}

/** `name`: for error messages. */
export function parseRuleSet(text: string, name: string): RuleSet {
  const fail = (what: string, next: string): never => {
    throw new UserError(`${name}: ${what}`, next);
  };
  const value = parseJson(text);
  if (!isObject(value)) return fail('not a JSON object', 'write {"rules": [{"kind": …, "pattern": …}], "allow": […]}');
  const unknown = Object.keys(value).find((key) => key !== 'rules' && key !== 'allow');
  if (unknown !== undefined) return fail(`unknown member "${unknown}"`, 'it takes "rules" and "allow"');
  const rules = listOf(value.rules, 'rules', fail).map((rule, index) => parseRule(rule, `rule ${index + 1}`, fail));
  const allowed = listOf(value.allow, 'allow', fail).map((item, index) => parseAllowed(item, index, fail));
  return makeRuleSet([...bundledRules, ...rules], (found) => allowed.some((allows) => allows(found)));
}

type Fail = (what: string, next: string) => never;

function readRules(file: string): string {
  try {
    return readRegularText(file);
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw new UserError(`${file}: cannot be read (${systemErrorCode(error) ?? 'unknown error'})`, 'name a JSON file');
  }
}

function listOf(value: JsonValue | undefined, name: string, fail: Fail): readonly JsonValue[] {
  if (value === undefined) return [];
  return isArray(value) ? value : fail(`"${name}" is not a list`, `write "${name}": […]`);
}

function parseRule(value: JsonValue, place: string, fail: Fail): SecretRule {
  if (!isObject(value)) return fail(`${place} is not an object`, 'write {"kind": "name", "pattern": "expression"}');
  const unknown = Object.keys(value).find((key) => !['kind', 'pattern', 'flags', 'keywords'].includes(key));
  if (unknown !== undefined) fail(`${place}: unknown member "${unknown}"`, 'a rule has kind, pattern, flags, keywords');
  const { kind } = value;
  if (typeof kind !== 'string' || !/^[a-z0-9][a-z0-9-]{0,39}$/.test(kind))
    return fail(`${place}: "kind" is missing or not a name`, 'use up to 40 small letters, digits and dashes');
  return {
    kind,
    title: `User rule ${kind}`,
    keywords: keywordsOf(value, place, fail),
    pattern: patternOf(value, place, fail),
    window: true,
    grouped: hasGroup(String(value.pattern)),
    certainty: 'form',
    rotate: 'as your rules file says nothing about it: revoke it where it was issued',
  };
}

function patternOf({ pattern, flags = '' }: JsonObject, place: string, fail: Fail): RegExp {
  if (typeof pattern !== 'string' || pattern === '')
    return fail(`${place}: "pattern" is missing`, 'write a JavaScript regular expression');
  if (typeof flags !== 'string' || !/^[imsu]{0,4}$/.test(flags))
    return fail(`${place}: "flags" is not understood`, 'use any of i, m, s and u');
  const compiled = compile(pattern, flags, (message) => fail(`${place}: ${message}`, 'correct the pattern'));
  const problem = costProblem(pattern);
  if (problem !== undefined) fail(`${place}: ${problem}`, 'write the pattern without it');
  if (compiled.test('')) fail(`${place}: the pattern matches an empty text`, 'let it match at least one character');
  return compiled;
}

function keywordsOf({ keywords }: JsonObject, place: string, fail: Fail): string[] {
  return listOf(keywords, 'keywords', fail).map((keyword) =>
    typeof keyword === 'string' && keyword.length >= shortestKeyword
      ? keyword
      : fail(`${place}: a keyword is not a text of ${shortestKeyword} characters or more`, 'write longer keywords'),
  );
}

function parseAllowed(value: JsonValue, index: number, fail: Fail): (found: string) => boolean {
  const place = `allow ${index + 1}`;
  if (typeof value !== 'string' || value === '')
    return fail(`${place} is not a text`, 'write the harmless value, or /expression/');
  const expression = /^\/(.+)\/([imsu]{0,4})$/s.exec(value);
  if (expression === null) return (found) => found === value;
  const [, source = '', flags = ''] = expression;
  const pattern = compile(source, flags, (message) => fail(`${place}: ${message}`, 'correct the expression'));
  const problem = costProblem(source);
  if (problem !== undefined) fail(`${place}: ${problem}`, 'write the expression without it');
  return (found) => pattern.test(found.slice(0, 2000));
}

function compile(source: string, flags: string, fail: (message: string) => never): RegExp {
  try {
    return new RegExp(source, flags);
  } catch (error) {
    return fail(error instanceof Error ? error.message.replace(/\s+/g, ' ') : 'not a regular expression');
  }
}

/** Whether the pattern has a group 1, which is the secret. */
function hasGroup(pattern: string): boolean {
  return new RegExp(`${pattern}|`).exec('')?.length !== 1;
}
