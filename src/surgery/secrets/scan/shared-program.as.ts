// Runs the program of a pattern at a place of a text, see pattern-program.ts. In `unless`, where a match means that the
// pattern does not match, bytes above 127 match nothing, so that it never refuses what the pattern accepts.
import { table } from './shared-memory.as';

const accept: u32 = 0;
const run: u32 = 1;
const split: u32 = 2;
const jump: u32 = 3;
const unless: u32 = 4;
const choose: u32 = 6;

const anyByte: u32 = 0xffffffff;
const classBytes: u32 = 20;
const bytesOfUnit: usize = 3;
/** A pattern that takes more steps counts as a match. */
const mostSteps: u32 = 20000;

let code: usize = 0;
let classes: usize = 0;
let textEnd: usize = 0;
let steps: u32 = 0;

/** `program`: offset of its code and of its classes in the table. */
export function mayMatch(program: usize, start: usize, end: usize): bool {
  code = table + load<u32>(program);
  classes = table + load<u32>(program, 4);
  textEnd = end;
  steps = 0;
  return matches(0, start, true) || steps > mostSteps;
}

/** `isWide`: whether a byte above 127 matches a class with such characters. */
function matches(first: u32, start: usize, isWide: bool): bool {
  let pc = first;
  let at = start;
  while (true) {
    steps++;
    if (steps > mostSteps) return false;
    const place = code + pc * 4;
    const operation = load<u32>(place);
    if (operation === accept) return true;
    const operand = load<u32>(place, 4);
    if (operation === run) {
      const least = <usize>load<u32>(place, 8);
      const length = runLength(classes + operand * classBytes, at, <usize>load<u32>(place, 12), isWide);
      if (length < least) return false;
      const first = load<u32>(place, 16);
      pc += 5;
      if (length > least) {
        if (load<u32>(code + pc * 4) === accept) return true;
        for (let i = length; i > least; i--)
          if (mayContinue(first, at + i, isWide) && matches(pc, at + i, isWide)) return true;
      }
      if (!mayContinue(first, at + least, isWide)) return false;
      at += least;
    } else if (operation === split) {
      if (mayContinue(load<u32>(place, 8), at, isWide) && matches(pc + 4, at, isWide)) return true;
      if (!mayContinue(load<u32>(place, 12), at, isWide)) return false;
      pc = operand;
    } else if (operation === jump) pc = operand;
    else if (operation === choose) {
      if (at >= textEnd || load<u8>(at) >= 0x80) return false;
      pc = <u32>load<u16>(place + 4 + <usize>load<u8>(at) * 2);
      if (pc === 0) return false;
    } else {
      const isFound = matches(pc + 2, at, operation === unless ? !isWide : isWide);
      if (isFound === (operation === unless)) return false;
      pc = operand;
    }
  }
}

/** Whether the byte is one of a class. */
function mayContinue(first: u32, at: usize, isWide: bool): bool {
  if (first === anyByte) return true;
  return at < textEnd && isIn(classes + first * classBytes, load<u8>(at), isWide);
}

function isIn(set: usize, byte: u8, isWide: bool): bool {
  if (byte >= 0x80) return isWide && load<u32>(set, 16) !== 0;
  return ((load<u8>(set + (byte >>> 3)) >>> (byte & 7)) & 1) !== 0;
}

function runLength(set: usize, start: usize, most: usize, isWide: bool): usize {
  const isWideClass = load<u32>(set, 16) !== 0;
  // `most` is in bytes; without bytes above 127, every character is one.
  const longest = isWideClass && !isWide ? most / bytesOfUnit : most;
  const left = textEnd - start;
  const end = start + (longest < left ? longest : left);
  let at = start;
  while (at < end && isIn(set, load<u8>(at), isWide)) at++;
  return at - start;
}

function isWordAt(at: usize): bool {
  const byte = load<u8>(at);
  const small = byte | 0x20;
  return (byte >= 0x30 && byte <= 0x39) || (small >= 0x61 && small <= 0x7a);
}

/**
 * Whether the rule may match at a keyword. `rule`: offsets of code and classes, whether a letter or digit may come before,
 * how many leads, then the leads.
 */
export function mayMatchAt(rule: usize, textStart: usize, at: usize, end: usize): bool {
  const inWord = load<u32>(rule, 8) !== 0;
  const leads = load<u32>(rule, 12);
  for (let i: u32 = 0; i < leads; i++) {
    const lead = <usize>load<u32>(rule + 16 + i * 4);
    if (at < textStart + lead) continue;
    const start = at - lead;
    if (!inWord && start > textStart && isWordAt(start - 1)) continue;
    if (mayMatch(rule, start, end)) return true;
  }
  return false;
}
