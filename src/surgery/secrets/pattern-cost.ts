// A regular expression of a user → what is wrong with its cost, if anything. JavaScript cannot stop an expression that
// has begun, so those that may try exponentially many ways are refused, and the rest sees at most a window of text.

/** More open repetitions than this can be slow even within a window. */
const mostOpen = 4;

interface Group {
  repeats: boolean;
  chooses: boolean;
}

/** `undefined` for a pattern that can be run. The pattern must be one that `RegExp` accepts. */
export function costProblem(pattern: string): string | undefined {
  const stack: Group[] = [{ repeats: false, chooses: false }];
  let closed: Group | undefined;
  let open = 0;
  for (let i = 0; i < pattern.length; i++) {
    const character = pattern.charAt(i);
    const group = stack.at(-1) as Group; // RegExp accepted the parentheses, so the stack is never empty
    const repetition = repetitionAt(pattern, i);
    if (repetition !== undefined) {
      const { length, many, endless } = repetition;
      if (many && closed !== undefined && (closed.repeats || closed.chooses))
        return 'a repeated group with a repetition or a choice inside can take for ever';
      if (endless) open++;
      if (many) group.repeats = true;
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
  return open > mostOpen ? `more than ${mostOpen} repetitions without an end` : undefined;
}

function repetitionAt(pattern: string, at: number): { length: number; many: boolean; endless: boolean } | undefined {
  const character = pattern.charAt(at);
  if (character === '*' || character === '+') return { length: 1, many: true, endless: true };
  if (character !== '{') return undefined;
  const counted = /^\{(\d+)(,?)(\d*)\}/.exec(pattern.slice(at, at + 24));
  if (counted === null) return undefined;
  const endless = counted[2] === ',' && counted[3] === '';
  const most = Number(counted[3] === '' ? counted[1] : counted[3]);
  return { length: counted[0].length, many: endless || most > 8, endless };
}

function classEnd(pattern: string, at: number): number {
  for (let i = at + 1; i < pattern.length; i++) {
    if (pattern.charAt(i) === '\\') i++;
    else if (pattern.charAt(i) === ']') return i;
  }
  return pattern.length;
}
