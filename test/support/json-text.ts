// Prints JSON in many valid forms: random white space, random escapes, random number forms.
import fc from 'fast-check';
import type { JsonValue } from '../../src/base/json/json.ts';

/**
 * The engine of Node 24 (V8 13.6) takes an escape for a key of one character for the backslash it begins with, once it has parsed
 * an object with the key "\\": `{"\\u0061":0}` is then `{"\\":0}`.
 */
const mistakesKeys: boolean = (() => {
  JSON.parse('{"\\\\":0}');
  return !Object.hasOwn(JSON.parse('{"\\u0061":0}') as object, 'a');
})();

/** A JSON value; keys are drawn from a small set too, so that edits often meet an existing one. */
export const jsonValue: fc.Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.oneof(
      text(),
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.boolean(),
      fc.constant(null),
    ),
    fc.array(tie('value'), { maxLength: 5 }),
    fc.dictionary(fc.oneof(fc.constantFrom('a', 'b', 'type', 'message'), text().map(safeKey)), tie('value'), {
      maxKeys: 5,
    }),
  ),
})).value;

/** `value` printed with choices taken from `seed`. */
export function printJson(value: JsonValue, seed: number): string {
  const random = randomFrom(seed);
  const space = (): string => (random(3) === 0 ? ([' ', '\t', '\n', '\r', '  '][random(5)] ?? '') : '');
  const print = (item: JsonValue | undefined): string => {
    if (typeof item === 'string') return printString(item, random);
    if (Array.isArray(item)) {
      return `[${space()}${item.map((element) => print(element) + space()).join(`,${space()}`)}]`;
    }
    if (typeof item !== 'object' || item === null) return JSON.stringify(item);
    const members = Object.entries(item).map(
      ([key, member]) => `${printKey(key, random)}${space()}:${space()}${print(member)}${space()}`,
    );
    return `{${space()}${members.join(`,${space()}`)}}`;
  };
  return space() + print(value) + space();
}

/** A small generator of whole numbers below a limit, the same for the same seed. */
export function randomFrom(seed: number): (limit: number) => number {
  let state = seed >>> 0;
  return (limit) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) >>> 0;
    return ((state ^ (state >>> 13)) >>> 0) % limit;
  };
}

/** A key that needs an escape, such as a control character, has another one after it there. */
function safeKey(key: string): string {
  return mistakesKeys && key.length === 1 ? `${key}x` : key;
}

function printKey(key: string, random: (limit: number) => number): string {
  return mistakesKeys && key.length === 1 ? JSON.stringify(key) : printString(key, random);
}

function printString(value: string, random: (limit: number) => number): string {
  const units = Array.from({ length: value.length }, (_, index) => {
    const unit = value.charCodeAt(index);
    const isSurrogate = unit >= 0xd800 && unit <= 0xdfff;
    if (isSurrogate || random(6) === 0) return `\\u${unit.toString(16).padStart(4, '0')}`;
    return unit === 0x2f && random(2) === 0 ? '\\/' : JSON.stringify(value[index]).slice(1, -1);
  });
  return `"${units.join('')}"`;
}

function text(): fc.Arbitrary<string> {
  return fc.oneof(fc.string({ maxLength: 6 }), fc.string({ unit: 'binary', maxLength: 4 }), brackets());
}

/** Strings that look like structure. */
function brackets(): fc.Arbitrary<string> {
  return fc.string({ unit: fc.constantFrom('{', '}', '[', ']', '"', '\\', ',', ':', ' ', 'a'), maxLength: 90 });
}
