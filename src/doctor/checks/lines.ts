// The transcript's own diagnostics → findings about lines (L). Nothing is parsed again: the reader has reported what it
// found, and the chain shows whether that cost a message.

import {
  type RestoredCode,
  type RestoredLine,
  restoreLines,
  utf16HeadBytes,
  utf16Of,
} from '../../format/line/index.ts';
import type { Reachable } from '../../session/facts/index.ts';
import { isLinked } from '../../session/graph/index.ts';
import { makeSession, type Session } from '../../session/load/index.ts';
import { clientsWithout } from '../../session/resume/client/index.ts';
import { isMessage, loadTranscript, rangesOf } from '../../session/transcript/index.ts';
import { keepText } from '../../store/index.ts';
import { type ExaminedSession, reachOf, reachText } from './examined-session.ts';
import { type DamageCode, type Finding, isDamageCode, makeFinding, type Severity } from './finding.ts';

export function checkLines(examined: ExaminedSession): Finding[] {
  const { transcript } = examined.session;
  if (transcript.diagnostics.length === 0) return [];
  const costly = costlyLines(examined);
  return transcript.diagnostics.flatMap(({ code, line, offset, message }) => {
    if (!isDamageCode(code)) return [];
    const { severity, effect } = judge(code, costly.has(line) ? reachOf(examined) : undefined, () =>
      rangesOf(transcript).read(offset, fragmentBytes),
    );
    return makeFinding(code, severity, { file: examined.file, line, offset, uuid: undefined }, message, effect);
  });
}

/** The lines in which the client does not read a message, or a link of the chain whose loss costs one. */
function costlyLines(examined: ExaminedSession): ReadonlySet<number> {
  const { session, lost, lostBefore, places } = examined;
  const away = new Set(session.branches.slice(1).flatMap((branch) => (branch.isReplay ? [] : branch.nodes)));
  const costly = new Set<number>();
  for (const node of session.transcript.nodes) {
    if (!node.hidden || !isLinked(node) || (node.isSidechain && !session.isAgent)) continue;
    const place = places.get(node);
    const isBreak = place !== undefined && (lostBefore[place + 1] ?? 0) > 0;
    // A message that it reads elsewhere, as a copy, is not lost.
    const isLost = isMessage(node) && (lost.has(node) || away.has(node) || session.branches.length === 0);
    if (isLost || isBreak) costly.add(node.line);
  }
  return costly;
}

interface Judgement {
  readonly severity: Severity;
  readonly effect: string;
}

function judge(code: DamageCode, costs: Reachable | undefined, fragment: () => Buffer): Judgement {
  const hidden = costs && {
    severity: 'loss' as const,
    effect: `Claude Code reads only what begins a line; for that, ${reachText(costs)}`,
  };
  switch (code) {
    case 'L-joined':
    case 'L-nul':
      if (hidden !== undefined) return hidden;
      return {
        severity: 'warn',
        effect: `no message is lost; ${clientsWithout('followsFileOrder')} read nothing of the line`,
      };
    case 'L-spliced':
      if (hidden !== undefined) return hidden;
      return { severity: 'warn', effect: 'the record that is cut off is lost; no message is known to be' };
    case 'L-torn-tail': {
      const severity = fragment().includes('"message"') ? 'loss' : 'warn';
      return { severity, effect: 'what was cut off cannot be read; everything else can' };
    }
    case 'L-not-json':
      if (hidden !== undefined) return hidden;
      return {
        severity: 'warn',
        effect: `the current client skips it; ${clientsWithout('skipsOddLines')} may stop there or lose what follows`,
      };
    case 'L-no-newline':
      return {
        severity: 'warn',
        effect: 'the current client adds it; clients up to 2.1.150 put their next record on the same line',
      };
    case 'L-oversize':
      return { severity: 'loss', effect: 'it is kept as it is, and nothing reads it' };
    case 'L-surrogate':
      return {
        severity: 'warn',
        effect: `the current client replaces it; with ${clientsWithout('replacesSurrogates')} the API answers 400 to every request`,
      };
    case 'L-utf8':
      return { severity: 'warn', effect: 'the bytes are read as U+FFFD' };
    default:
      return { severity: 'info', effect: 'harmless: every client reads it' };
  }
}

/** Enough of what the reader could not read to see whether it was a message. */
const fragmentBytes = 4096;

// A session whose file is not plain UTF-8 JSONL → the same session with the records that its text holds. Restored ones are
// marked as lines that the client does not read, so every check and the proof count them as lost.

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
