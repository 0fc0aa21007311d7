// A line ⇄ what it has in common with its copies in forks, and what differs. `--fork-session` changes the session id
// on every line, the SDK's fork all uuids and adds `forkedFrom`: with the ids taken out and the ending apart, the
// rest is equal and stored once.

/** 0: nothing more; 1: `}` and a newline; 2: `forkedFrom` with two ids, then as 1. */
export type Ending = 0 | 1 | 2;

export interface LineParts {
  /** The line with a byte 0xFF, which no UTF-8 has, for each id. */
  readonly body: Buffer;
  readonly ending: Ending;
  /** In the order of the line, those of the ending last. */
  readonly ids: readonly string[];
}

/** Any bytes may come in; `joinLine` gives the same ones back, which is checked for every line. */
export function splitLine(line: Buffer): LineParts {
  if (line.includes(idMark) || line[0] === verbatimMark) return verbatim(line);
  const parts = takeApart(line);
  let next = 0;
  const joined = joinLine(parts.body, parts.ending, () => parts.ids[next++] ?? '');
  return joined.equals(line) ? parts : verbatim(line);
}

/** Asks for an id as often as the line has one. */
export function joinLine(body: Buffer, ending: Ending, nextId: () => string): Buffer {
  if (body[0] === verbatimMark) return body.subarray(1);
  const pieces: Buffer[] = [];
  let copied = 0;
  for (let at = body.indexOf(idMark); at >= 0; at = body.indexOf(idMark, copied)) {
    pieces.push(body.subarray(copied, at), Buffer.from(nextId(), 'latin1'));
    copied = at + 1;
  }
  pieces.push(body.subarray(copied));
  if (ending === 1) pieces.push(lineEnd);
  if (ending === 2) pieces.push(Buffer.from(forkedFrom(nextId(), nextId()), 'latin1'));
  return pieces.length === 1 ? body : Buffer.concat(pieces);
}

const idMark = 0xff;
const verbatimMark = 0xfe;
const lineEnd = Buffer.from('}\n');
const uuid = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
const uuidLength = 36;
const anyUuid = new RegExp(uuid, 'g');
const forkTail = new RegExp(`^,"forkedFrom":\\{"sessionId":"(${uuid})","messageUuid":"(${uuid})"\\}\\}\\n$`);
const forkTailLength = forkedFrom('', '').length + 2 * uuidLength;

function forkedFrom(sessionId: string, messageUuid: string): string {
  return `,"forkedFrom":{"sessionId":"${sessionId}","messageUuid":"${messageUuid}"}}\n`;
}

function verbatim(line: Buffer): LineParts {
  return { body: Buffer.concat([Buffer.from([verbatimMark]), line]), ending: 0, ids: [] };
}

function takeApart(line: Buffer): LineParts {
  const hasEnd = line.length >= 2 && line[line.length - 1] === 0x0a && line[line.length - 2] === 0x7d;
  const fork = hasEnd ? forkTail.exec(line.toString('latin1', Math.max(0, line.length - forkTailLength))) : null;
  const rest = line.subarray(0, line.length - (fork ? forkTailLength : hasEnd ? lineEnd.length : 0));
  const ids: string[] = [];
  const body = takeIds(rest, ids);
  if (fork) ids.push(fork[1] ?? '', fork[2] ?? '');
  return { body, ending: fork ? 2 : hasEnd ? 1 : 0, ids };
}

function takeIds(rest: Buffer, ids: string[]): Buffer {
  const pieces: Buffer[] = [];
  let copied = 0;
  // The uuid of a tool result is between its message and its output: the whole line is looked through.
  for (const match of rest.toString('latin1').matchAll(anyUuid)) {
    pieces.push(rest.subarray(copied, match.index), markBytes);
    ids.push(match[0]);
    copied = match.index + uuidLength;
  }
  return pieces.length === 0 ? rest : Buffer.concat([...pieces, rest.subarray(copied)]);
}

const markBytes = Buffer.from([idMark]);
