// A session whose file is not plain UTF-8 JSONL → the same session with the records that its text holds. Restored ones are
// marked as lines that the client does not read, so every check and the proof count them as lost.
import {
  type RestoredCode,
  type RestoredLine,
  restoreLines,
  utf16HeadBytes,
  utf16Of,
} from '../../format/line/restore-lines.ts';
import { makeSession, type Session } from '../../session/load/session.ts';
import { isMessage } from '../../session/transcript/node.ts';
import { loadTranscript, rangesOf } from '../../session/transcript/transcript.ts';
import { keepText } from '../../store/kept-text.ts';
import { type Finding, makeFinding } from './finding.ts';

export interface RestoredSession {
  /** The session itself where there is nothing to restore. */
  readonly session: Session;
  /** One finding for each restored record, one for a file in another encoding. */
  readonly findings: readonly Finding[];
  /** A finding about the restored text → the same with the place in the file. */
  placed(finding: Finding): Finding;
  /** A line of the restored text → the line of the file that it begins in. */
  lineOf(line: number): number;
}

/** Larger files are left to the reader, which sets broken lines aside. */
const maxBytes = 256 * 1024 * 1024;

const known = new WeakMap<Session['transcript'], RestoredSession>();

export function restoredSession(session: Session): RestoredSession {
  const before = known.get(session.transcript);
  if (before !== undefined) return before;
  const made = restore(session);
  known.set(session.transcript, made);
  known.set(made.session.transcript, { ...made, findings: made.findings });
  return made;
}

function restore(session: Session): RestoredSession {
  const asItIs = { session, findings: [], placed: (finding: Finding) => finding, lineOf: (line: number) => line };
  const { transcript } = session;
  if (!isSuspect(session) || transcript.sizeBytes > maxBytes) return asItIs;
  const original = rangesOf(transcript).read(0, transcript.sizeBytes);
  const lines = restoreLines(original);
  if (lines === undefined) return asItIs;
  const path = `${transcript.path}#restored`;
  const text = Buffer.concat(lines.flatMap(({ bytes }) => [bytes, newline]));
  const end = original.subarray(utf16Of(original) === undefined ? -1 : -2);
  keepText(path, end.includes(newline) ? text : text.subarray(0, -1));
  const restored = loadTranscript(path, { strict: true });
  for (const node of restored.nodes) if (lines[node.line - 1]?.code !== undefined) node.hide();
  const offsets = lineOffsets(original);
  const lineOf = (line: number): number => lines[line - 1]?.line ?? line;
  const placed = (finding: Finding): Finding => {
    if (finding.file !== path) return finding;
    const line = lineOf(finding.line);
    return { ...finding, file: transcript.path, line, offset: offsets[line - 1] ?? 0 };
  };
  const read = makeSession(session.files, restored);
  return { session: read, findings: findingsOf(read, lines).map(placed), placed, lineOf };
}

const newline = Buffer.from('\n');
const signs = new Set(['L-not-json', 'L-spliced', 'L-torn-tail', 'L-nul']);

/** What the reader has said points to broken lines; a cut at the very end alone has nothing to be joined with. */
function isSuspect({ transcript }: Session): boolean {
  const said = transcript.diagnostics.filter(({ code }) => signs.has(code));
  if (said.length === 0) return false;
  return said.length > 1 || said[0]?.code !== 'L-torn-tail' || isUtf16(transcript);
}

function isUtf16(transcript: Session['transcript']): boolean {
  return utf16Of(rangesOf(transcript).read(0, utf16HeadBytes)) !== undefined;
}

function lineOffsets(bytes: Buffer): readonly number[] {
  const offsets = [0];
  for (let at = bytes.indexOf(0x0a); at >= 0; at = bytes.indexOf(0x0a, at + 1)) offsets.push(at + 1);
  return offsets;
}

const messages: Readonly<Record<RestoredCode, string>> = {
  'L-utf16': 'the file is UTF-16',
  'L-wrapped': 'a record is broken into several lines',
  'L-split': 'another writer wrote into the middle of a record',
  'L-quoted': 'a record is stored as a JSON string',
};

function findingsOf({ transcript }: Session, lines: readonly RestoredLine[]): readonly Finding[] {
  const file = transcript.path;
  const unread = 'Claude Code reads UTF-8 only and finds no conversation in it';
  const whole = lines.some(({ code }) => code === 'L-utf16')
    ? [makeFinding('L-utf16', 'fatal', { file, line: 1 }, messages['L-utf16'], unread)]
    : [];
  const said = new Set(transcript.nodes.filter(isMessage).map(({ line }) => line));
  const broken = lines.flatMap(({ code }, i) => {
    if (code === undefined || code === 'L-utf16') return [];
    const isLost = said.has(i + 1);
    const effect = isLost ? 'Claude Code does not read the message' : 'Claude Code does not read the record';
    return makeFinding(code, isLost ? 'loss' : 'warn', { file, line: i + 1 }, messages[code], effect);
  });
  return [...whole, ...broken];
}
