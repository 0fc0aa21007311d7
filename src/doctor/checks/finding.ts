// What doctor has to say about a session: a finding names one damage, its place, what it costs, and what repairs it.
// All classes are in one table; docs/doctor.md lists the same classes for users, and a test compares the two.
import { clientsWithout } from '../../session/resume/client/index.ts';

/**
 * How much harm a finding does. `fatal`: no request succeeds. `loss`: a resume leaves something out. `warn`: other or
 * older readers do. `info`: nothing is lost.
 */
export type Severity = 'fatal' | 'loss' | 'warn' | 'info';

export const severities: readonly Severity[] = ['fatal', 'loss', 'warn', 'info'];

/** One problem of a session. */
export interface Finding {
  readonly code: DamageCode;
  readonly severity: Severity;
  /** The transcript or folder it is about. */
  readonly file: string;
  /** From 1; 0 where it is about the file as a whole. */
  readonly line: number;
  readonly offset: number;
  readonly uuid: string | undefined;
  readonly message: string;
  /** What a user would see of it. */
  readonly effect: string;
  readonly fix: string;
}

/** Describes a kind of damage and how it is repaired. */
export interface DamageClass {
  readonly title: string;
  /** What it can be, and the rule that decides. */
  readonly severity: string;
  readonly repair: string;
}

/** The codes of all kinds of damage. */
export const damageCodes = [
  'L-torn-tail',
  'L-no-newline',
  'L-spliced',
  'L-joined',
  'L-nul',
  'L-bom',
  'L-crlf',
  'L-not-json',
  'L-utf8',
  'L-surrogate',
  'L-oversize',
  'L-utf16',
  'L-wrapped',
  'L-split',
  'L-quoted',
  'G-phantom-parent',
  'G-progress-fork',
  'G-parallel-lost',
  'G-lost-leaf',
  'G-boundary-parent',
  'G-duplicate-uuid',
  'G-replayed',
  'G-foreign',
  'G-cycle',
  'G-no-root',
  'G-refused',
  'G-retracted',
  'A-unanswered-tool',
  'A-orphan-result',
  'A-duplicate-tool-id',
  'A-thinking-altered',
  'A-thinking-last',
  'A-thinking-bound',
  'A-thinking-hole',
  'A-image-size',
  'A-empty-text',
  'A-role-order',
  'A-error-echo',
  'A-too-long',
  'I-thinking-dropped',
  'I-thinking-stripped',
  'W-prompt-lost',
  'F-moved',
  'F-nested',
  'F-expiring',
  'F-main-gone',
  'F-empty',
  'F-name',
] as const;

/** The code of a kind of damage. */
export type DamageCode = (typeof damageCodes)[number];

const byCost = `loss, where a resume leaves something out for it; warn, where only ${clientsWithout('followsFileOrder')} do; else info`;

/** Describes every kind of damage, by its code. */
export const damageClasses: Readonly<Record<DamageCode, DamageClass>> = {
  'L-torn-tail': {
    title: 'a record is cut off',
    severity: 'loss, where it was a message; else warn',
    repair: 'set the fragment aside and end the file with a newline',
  },
  'L-no-newline': {
    title: 'the last line has no newline',
    severity: 'warn',
    repair: 'add the newline',
  },
  'L-spliced': {
    title: 'a record is cut off and a whole one follows on the same line',
    severity: 'loss, where it cost a message; else warn',
    repair: 'put the whole record on a line of its own and set the fragment aside',
  },
  'L-joined': {
    title: 'several records are on one line',
    severity: 'loss, where a message is among those that are not read; else warn',
    repair: 'put each record on a line of its own',
  },
  'L-nul': {
    title: 'a line contains NUL bytes',
    severity: 'loss, where they hide a message; else warn',
    repair: 'drop the NUL bytes and keep the record',
  },
  'L-bom': { title: 'a byte-order mark', severity: 'info', repair: 'drop the mark' },
  'L-crlf': { title: 'lines end in CR LF', severity: 'info', repair: 'end lines in LF' },
  'L-not-json': {
    title: 'text that is not a record',
    severity: 'loss, where it hides a message; else warn',
    repair: 'leave the text out; the backup keeps it',
  },
  'L-utf8': {
    title: 'bytes that are not UTF-8',
    severity: 'warn',
    repair: 'replace the bytes by U+FFFD in a repaired line',
  },
  'L-surrogate': { title: 'half of a surrogate pair', severity: 'warn', repair: 'replace it by U+FFFD' },
  'L-oversize': {
    title: 'a line too long to be read',
    severity: 'loss',
    repair: 'no automatic repair; `clew cat` copies the line byte for byte',
  },
  'L-utf16': {
    title: 'the file is UTF-16',
    severity: 'fatal',
    repair: 'write it as UTF-8',
  },
  'L-wrapped': {
    title: 'a record is broken into several lines',
    severity: 'loss, where it is a message; else warn',
    repair: 'join the lines to one record',
  },
  'L-split': {
    title: 'another writer wrote into the middle of a record',
    severity: 'loss, where it is a message; else warn',
    repair: 'put the two parts together again, each record on a line of its own',
  },
  'L-quoted': {
    title: 'a record is stored as a JSON string',
    severity: 'loss, where it is a message; else warn',
    repair: 'write the record that the string holds',
  },
  'G-phantom-parent': {
    title: 'the parent of a line was never written',
    severity: byCost,
    repair: 'hang the line on the one before it in the same conversation',
  },
  'G-progress-fork': {
    title: 'the chain runs through progress lines',
    severity: byCost,
    repair: 'hang the line on what the progress lines hang on',
  },
  'G-parallel-lost': {
    title: 'results of parallel calls are outside the chain',
    severity: `loss, where a resume leaves them out; info, where only ${clientsWithout('followsFileOrder')} do`,
    repair: 'link the results into the chain, one after the other',
  },
  'G-lost-leaf': {
    title: 'the newest work is on a branch that a resume does not take',
    severity: 'loss',
    repair: 'choose the newest branch, or graft both in order',
  },
  'G-boundary-parent': {
    title: 'a compaction does not know what it compacted',
    severity: 'loss, where no summary follows and the history before it is cut off; else info',
    repair: 'nothing where the summary follows; else take the boundary out of the chain',
  },
  'G-duplicate-uuid': {
    title: 'a uuid is there twice',
    severity: 'loss, where the two say different things and one of them is a message that is left out; else info',
    repair: 'keep the first, give the second a uuid of its own where it differs',
  },
  'G-replayed': {
    title: 'history was written again under new uuids',
    severity:
      'loss, where the copy starts a new chain and something before it is left out, or a resume sends both; else info',
    repair: 'drop the copy',
  },
  'G-foreign': {
    title: 'lines of another session',
    severity: 'loss, where a resume continues them instead; else warn',
    repair: 'move them to a session of their own',
  },
  'G-cycle': {
    title: 'parents lead in a circle',
    severity: 'loss, where a resume leaves something out for it; else warn',
    repair: 'cut the circle at its oldest line and attach that to the line before it',
  },
  'G-no-root': {
    title: 'no line is the beginning',
    severity: 'warn',
    repair: 'make the first line the root',
  },
  'G-refused': {
    title: 'Claude Code does not resume the file',
    severity: 'fatal',
    repair: 'give the last message what it lacks',
  },
  'G-retracted': {
    title: 'a refusal takes back the whole conversation',
    severity: 'loss',
    repair: 'take the messages out that it names, and its list, so that the others are sent',
  },
  'A-unanswered-tool': {
    title: 'a tool call without a result',
    severity: 'fatal, where it is sent so; info at the end, where a run was cut off; else warn',
    repair: 'insert an error result that says it was interrupted',
  },
  'A-orphan-result': {
    title: 'a tool result without its call',
    severity: 'fatal, where it is sent so; else warn',
    repair: 'turn it into text',
  },
  'A-duplicate-tool-id': {
    title: 'a tool call or its result is there twice',
    severity: 'fatal, where it is sent so; else warn',
    repair: 'keep the first call and its result',
  },
  'A-thinking-altered': {
    title: 'thinking without a whole signature',
    severity: 'fatal, where it is sent so; else warn',
    repair: 'drop the thinking block',
  },
  'A-thinking-last': {
    title: 'an answer ends in thinking',
    severity: 'fatal, where it is sent so; else warn',
    repair: 'drop the thinking block',
  },
  'A-thinking-bound': {
    title: 'thinking after other text than it was made after',
    severity: 'fatal, where the session is of a client up to 2.1.150; else loss',
    repair: 'leave out that block and all later ones, or append the mark that hides all thinking (`--mark`)',
  },
  'A-thinking-hole': {
    title: 'thinking is missing between two blocks that are there',
    severity: 'fatal, where the session is of a client up to 2.1.150; else loss',
    repair: 'leave out the blocks after the gap, or append the mark that hides all thinking (`--mark`)',
  },
  'A-image-size': {
    title: 'an image the API does not take',
    severity: 'fatal',
    repair: 'put a placeholder in its place that says what it was',
  },
  'A-empty-text': {
    title: 'an empty text',
    severity: 'fatal, where it is sent so; else warn',
    repair: 'drop the block',
  },
  'A-role-order': {
    title: 'the conversation does not begin with the user, or something in it is not as the API wants it',
    severity: 'fatal; warn, where only other providers than Anthropic reject it',
    repair: 'repair the order',
  },
  'A-error-echo': {
    title: 'an error message of the client is stored as an answer',
    severity: 'warn, where it is sent to the model; else info',
    repair: 'leave it out',
  },
  'A-too-long': {
    title: 'the conversation no longer fits the model',
    severity: 'fatal; warn, where it is an estimate',
    repair: 'strip tool output, images or thinking',
  },
  'I-thinking-dropped': {
    title: 'the API left out thinking blocks of an earlier request',
    severity: 'info',
    repair: 'none: the blocks are still in the file',
  },
  'I-thinking-stripped': {
    title: 'the client continues without its earlier thinking',
    severity: 'info',
    repair: 'none needed',
  },
  'W-prompt-lost': {
    title: 'nothing pins the system prompt that the thinking is bound to',
    severity: 'warn',
    repair: '`clew strip --thinking` before the next move or update',
  },
  'F-moved': {
    title: 'the project folder is gone',
    severity: 'warn',
    repair: '`clew move` brings the sessions to where the folder is now',
  },
  'F-nested': { title: 'a session one folder too deep', severity: 'loss', repair: 'move it up one folder' },
  'F-expiring': {
    title: 'Claude Code is about to delete the session',
    severity: 'warn',
    repair: '`clew archive` keeps a copy',
  },
  'F-main-gone': {
    title: 'the main transcript is gone, its side files are there',
    severity: 'loss',
    repair: '`clew restore` brings it back where it was archived',
  },
  'F-empty': { title: 'no conversation in the file', severity: 'info', repair: '`clew rm --empty` deletes such files' },
  'F-name': {
    title: 'the name of the file is not the id in its lines',
    severity: 'info',
    repair: 'none needed; `clew move` renames it',
  },
};

export function isDamageCode(code: string): code is DamageCode {
  return Object.hasOwn(damageClasses, code);
}

/** Where a finding is: a line, or the file as a whole. */
export interface FindingPlace {
  readonly file: string;
  readonly line?: number;
  readonly offset?: number;
  readonly uuid?: string | undefined;
}

export function makeFinding(
  code: DamageCode,
  severity: Severity,
  { file, line = 0, offset = 0, uuid }: FindingPlace,
  message: string,
  effect: string,
): Finding {
  return { code, severity, file, line, offset, uuid, message, effect, fix: damageClasses[code].repair };
}

/** Worst first, then in the order of the file. */
export function compareFindings(a: Finding, b: Finding): number {
  return (
    severities.indexOf(a.severity) - severities.indexOf(b.severity) ||
    (a.file < b.file ? -1 : a.file > b.file ? 1 : 0) ||
    a.offset - b.offset ||
    (a.code < b.code ? -1 : a.code > b.code ? 1 : 0)
  );
}

export function isSevere({ severity }: Pick<Finding, 'severity'>): boolean {
  return severity === 'fatal' || severity === 'loss';
}
