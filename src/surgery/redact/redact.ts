// Replaces the secrets in all files of a session by placeholders; in place also in what the client stores of it elsewhere.
// Learns from all files first, because a value may be recognizable by its name in one place only.

import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import path from 'node:path';
import { readInode } from '../../base/files/index.ts';
import { asObject, isArray, isObject, type JsonValue } from '../../base/json/index.ts';
import type { Edit } from '../../format/bytes/index.ts';
import type { Session } from '../../session/load/index.ts';
import { isThinking } from '../../session/resume/messages/index.ts';
import type { Node } from '../../session/transcript/index.ts';
import {
  type Dropped,
  droppedBy,
  type FileSource,
  newSession,
  type Plan,
  type PlannedOtherFile,
  type Rewrite,
  type Source,
  type SourceFile,
  type StagedSession,
  sameSession,
  sessionOf,
  stagedPath,
  withoutBlocks,
} from '../engine/index.ts';
import { type SentMessages, sentMessages } from '../request/index.ts';
import { isMediaData, type RuleSet } from '../secrets/index.ts';
import { keptElsewhere, leakyPrompts } from './redact-elsewhere.ts';
import { createRedactor, type FoundSecret, type KnownValue, type Redactor } from './redactor.ts';
import {
  type FileSurvey,
  inspectContent,
  inspectFile,
  learnFile,
  redactFile,
  surveyFile,
  surveyName,
} from './survey.ts';

export interface ThinkingTaken {
  readonly edits: ReadonlyMap<number, readonly Edit[]>;
  readonly drops: ReadonlyMap<number, string>;
  /** The number of messages that lose their thinking. */
  readonly messages: number;
}

const thinkingReason = 'signed thinking that held a secret';

/** `signed`: the indexes of records with such thinking. */
function takeThinking(session: Session, signed: Iterable<number>): ThinkingTaken {
  const { transcript } = session;
  const named = new Set([...signed].map((index) => messageKey(transcript.nodes[index] as Node)));
  const blocks = new Map<Node, readonly number[]>();
  for (const node of transcript.nodes) {
    if (node.type !== 'assistant' || !named.has(messageKey(node))) continue;
    const content = asObject(transcript.read(node).message)?.content;
    const items = isArray(content) ? content : [];
    const removed = items.flatMap((block, i) => (isObject(block) && isThinking(block) ? [i] : []));
    if (removed.length > 0) blocks.set(node, removed);
  }
  return { ...withoutBlocks(session, blocks, thinkingReason), messages: named.size };
}

function messageKey(node: Node): string | Node {
  return node.message?.id || node;
}

export interface RedactOptions {
  readonly isInPlace?: boolean;
  /** Keep signed thinking with a secret instead of removing it. */
  readonly keepsThinking?: boolean;
  readonly ruleSet?: RuleSet;
  /** Values that were redacted before and came back. */
  readonly known?: readonly KnownValue[];
  /** The copies are searched for afterwards, and those in prompts of other sessions are listed then. */
  readonly isSearched?: boolean;
  /** For the history. */
  readonly words?: readonly string[];
}

export interface RedactPlan {
  readonly plan: Plan;
  /** The source, with the identities of other files that must not change until it is written. */
  readonly source: Source;
  readonly redactor: Redactor;
  readonly secrets: readonly RedactedSecret[];
}

export interface RedactedSecret extends FoundSecret {
  /** Each line once. */
  readonly places: readonly FoundPlace[];
}

export interface FoundPlace {
  /** Its new name, if the old one holds a secret. */
  readonly file: string;
  /** From 1; 0 is the file name. */
  readonly line: number;
  /** The text before it on the line, and at most four characters of the value. */
  readonly excerpt: string;
}

export async function planRedact(source: Source, options: RedactOptions = {}): Promise<RedactPlan> {
  const { session } = source;
  const isInPlace = options.isInPlace === true;
  const redactor = createRedactor(options.ruleSet);
  for (const known of options.known ?? []) redactor.learnValue(known);
  const elsewhere = isInPlace ? await keptElsewhere(session.files.main) : undefined;
  for (const file of source.files) learnFile(file, redactor);
  elsewhere?.learn(redactor);
  for (const file of source.files.slice(1)) redactor.learnFileName(file.name);
  const surveys = new Map(source.files.map((file) => [file.path, surveyFile(file, redactor)]));
  const work = workOn(source, surveys, redactor, options.keepsThinking === true);
  const other = elsewhere?.redact(redactor) ?? { files: [], removals: [], surveys: [], foreign: 0 };
  const names = source.files.slice(1).map((file) => surveyName(file, redactor));
  const found = [...surveys.values(), ...names, ...other.surveys];
  const secrets = listSecrets(redactor, found);
  const mainName = path.basename(session.files.main);
  const fileNames = (name: string): string => (name === mainName ? name : redactor.renameFile(name));
  const isRenamed = ({ name }: SourceFile): boolean => fileNames(name) !== name;
  const results = isInPlace ? sameSession(source, { ...work, fileNames }) : newSession(source, { ...work, fileNames });
  const removals = isInPlace ? [...source.files.filter(isRenamed).map((file) => file.path), ...other.removals] : [];
  return {
    redactor,
    secrets,
    source: {
      ...source,
      identities: new Map([...source.identities, ...(elsewhere?.identities ?? [])]),
      leftOut: [...source.leftOut, ...(elsewhere?.leftOut ?? [])],
    },
    plan: {
      operation: 'redact',
      words: options.words ?? [],
      sources: [{ sessionId: session.id, path: session.files.main }],
      results: [results],
      ...(isInPlace ? { otherFiles: other.files, removals } : {}),
      dropped: work.dropped,
      notes: [
        ...notesOf(session, secrets, work, options),
        ...(isInPlace ? otherNames(found) : []),
        ...(other.foreign === 0 || options.isSearched === true ? [] : [foreignNote(other.foreign)]),
      ],
      expects: (staged) => [
        ...leaks(staged, redactor),
        ...otherLeaks(other.files, session.id, redactor),
        ...sends(session, staged, redactor),
      ],
    },
  };
}

interface Work {
  readonly rewrites: ReadonlyMap<string, Rewrite>;
  readonly contents: ReadonlyMap<string, FileSource>;
  readonly dropped: readonly Dropped[];
  /** The number of messages with signed thinking that holds a secret. */
  readonly thinking: number;
}

function workOn(source: Source, surveys: ReadonlyMap<string, FileSurvey>, redactor: Redactor, keeps: boolean): Work {
  const rewrites = new Map<string, Rewrite>();
  const contents = new Map<string, FileSource>();
  const dropped: Dropped[] = [];
  let thinking = 0;
  for (const [i, file] of source.files.entries()) {
    const survey = surveys.get(file.path);
    if (survey === undefined || survey.lines.size === 0) continue;
    const { transcript } = file;
    if (transcript === undefined) {
      contents.set(file.path, { bytes: redactFile(file, redactor) });
      continue;
    }
    const taken = takeThinking(sessionOf(source, file), survey.signed.keys());
    // Thinking that Clew's agent stores outside the chain is signed too.
    const outside = transcript.nodes.filter(({ type, line }) => type === 'clew-thinking' && survey.lines.has(line));
    const drops = new Map([...taken.drops, ...outside.map(({ index }) => [index, thinkingReason] as const)]);
    thinking += taken.messages + outside.length;
    const patch = {
      isTouched: (line: number) => survey.lines.has(line),
      apply: (bytes: Buffer) => redactor.redactLine(bytes),
    };
    rewrites.set(file.path, keeps ? { patch } : { patch, edits: taken.edits, drops });
    if (!keeps) dropped.push(...droppedBy(transcript, drops, i === 0 ? undefined : file.path));
  }
  return { rewrites, contents, dropped, thinking };
}

/** Each secret once, in the order in which the redactor found them. */
export function listSecrets(redactor: Redactor, surveys: readonly FileSurvey[]): RedactedSecret[] {
  const places = new Map<string, { count: number; places: FoundPlace[] }>();
  for (const { path: real, places: found } of surveys) {
    const file = found.length === 0 ? real : redactor.hide(real);
    for (const { placeholder, line, count, excerpt } of found) {
      const known = places.get(placeholder) ?? { count: 0, places: [] };
      places.set(placeholder, known);
      known.count += count;
      const last = known.places.at(-1);
      if (last?.file !== file || last.line !== line) known.places.push({ file, line, excerpt });
    }
  }
  return redactor.list().flatMap((secret) => {
    const found = places.get(secret.placeholder);
    return found === undefined ? [] : [{ ...secret, ...found }];
  });
}

function notesOf(session: Session, secrets: readonly RedactedSecret[], work: Work, options: RedactOptions): string[] {
  if (secrets.length === 0) return ['no secrets found, so nothing is written'];
  const notes: string[] = [];
  const lost = work.thinking === 1 ? 'one message' : `${work.thinking} messages`;
  if (work.thinking > 0)
    notes.push(
      options.keepsThinking === true
        ? `the thinking of ${lost} still holds a secret: signed thinking can only be kept or removed`
        : `the thinking of ${lost} was removed: it held a secret, and signed thinking cannot be altered`,
    );
  if (options.isInPlace !== true)
    notes.push(`the original still holds them; \`clew redact ${session.id} --in-place\` changes it too`);
  return notes;
}

/** Replacing a file does not change its hard links, which keep the old bytes. */
function otherNames(surveys: readonly FileSurvey[]): string[] {
  const files = new Set(surveys.filter(({ places }) => places.length > 0).map((survey) => survey.path));
  return [...files].flatMap((file) => {
    const stats = statSync(file);
    const { nlink } = stats;
    if (nlink < 2) return [];
    const ino = String(readInode(file, stats)).replace(/^i/, '');
    const names = nlink === 2 ? 'another name' : `${nlink - 1} other names`;
    return [
      `${file} has ${names} on this disk (hard links, inode ${ino}) and still holds the secret there: delete it too`,
    ];
  });
}

function foreignNote(prompts: number): string {
  return `${prompts === 1 ? '1 prompt' : `${prompts} prompts`} of other sessions in history.jsonl ${prompts === 1 ? 'holds' : 'hold'} them too`;
}

/** The secrets that remain in the staged files; there must be none. */
function leaks({ planned, session }: StagedSession, redactor: Redactor): string[] {
  const before = new Set(redactor.list().map(({ placeholder }) => placeholder));
  return planned.files.flatMap(({ name }) => {
    const file = stagedPath(path.dirname(session.files.main), name);
    const left = [...inspectFile({ path: file, name }, redactor), ...redactor.findKnown(Buffer.from(name))];
    const fresh = left.filter((placeholder) => !before.has(placeholder));
    return left.length === 0
      ? []
      : [`${redactor.hide(name)} still holds ${left.length} secrets${fresh.length > 0 ? ', some of them new' : ''}`];
  });
}

function otherLeaks(files: readonly PlannedOtherFile[], sessionId: string, redactor: Redactor): string[] {
  return files.flatMap(({ path: file, content }) => {
    const inName = redactor.findKnown(Buffer.from(path.basename(file))).length;
    const inside =
      'bytes' in content
        ? inspectContent(content.bytes, file, redactor).length
        : 'lines' in content
          ? leakyPrompts(content.lines(), sessionId, redactor)
          : 0;
    const left = inName + inside;
    return left === 0 ? [] : [`${redactor.hide(file)} still holds ${left} secrets`];
  });
}

/**
 * Resuming must send the same messages, with placeholders. Compares the sent messages, independently of the changed lines.
 * Thinking may be missing.
 */
function sends(original: Session, { session }: StagedSession, redactor: Redactor): string[] {
  const before = sentMessages(original, { host: 'anthropic' });
  const after = sentMessages(session, { host: 'anthropic' });
  if ('refused' in before || 'refused' in after) return [];
  const isSame = digestTexts(before, redactor) === digestTexts(after, redactor);
  return isSame ? [] : ['resuming would not send the messages of the original with placeholders'];
}

/** Message by message: all of them, twice, may be more than fits into memory. */
function digestTexts(sent: SentMessages, redactor: Redactor): string {
  const hash = createHash('sha256');
  for (const message of sent.lean) {
    const { role, content } = sent.complete(message);
    for (const { type, id, tool_use_id, ...rest } of content.filter((block) => !isThinking(block)))
      hash.update(
        `${JSON.stringify([role, type, id, tool_use_id, rest], (_, value: JsonValue) => withPlaceholders(value, redactor))}\n`,
      );
  }
  return hash.digest('hex');
}

function withPlaceholders(value: JsonValue, redactor: Redactor): JsonValue {
  if (typeof value === 'string') return isMediaData(value) ? value : redactor.redactText(value);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [redactor.redactText(key), item]));
}
