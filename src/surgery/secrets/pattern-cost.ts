// Refuses regular expressions of a user that may backtrack exponentially, because JavaScript cannot stop them. The others
// run on at most a window of text.

/** More repetitions or alternatives of variable length can be slow even within a window. */
const mostVariable = 8;

interface Group {
  repeats: boolean;
  chooses: boolean;
}

/** `undefined` for a safe pattern. The pattern must be valid. */
export function costProblem(pattern: string): string | undefined {
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
