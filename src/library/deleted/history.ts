// `history.jsonl` of the client → the prompts that were typed, one after another. The client writes it for the arrow-up key
// and never cleans it up, so it outlives the transcripts. Every line is hostile data: a line that is not a prompt is
// passed over, and an id that is not plain is treated as absent.
import { closeSync, fstatSync, lstatSync, readSync } from 'node:fs';
import path from 'node:path';
import { openRegularFile } from '../../base/files/index.ts';
import { asObject, asString, isObject, type JsonObject, parseJson } from '../../base/json/index.ts';
import { readLineBatches } from '../../store/index.ts';

/** One line of `history.jsonl`. */
export interface HistoryEntry {
  /** Counted from 1. */
  readonly line: number;
  /** What was typed, with placeholders for pasted texts. */
  readonly display: string;
  /** Milliseconds since 1970; `NaN` if the line has none. */
  readonly time: number;
  /** The working directory; `undefined` if the line has none. */
  readonly project: string | undefined;
  /** `undefined`: written by a client before about 2.1, or not an id. */
  readonly sessionId: string | undefined;
  readonly pasted: JsonObject;
}

/** Longer lines are passed over: no one types 16 MB, and a damaged file may be a single line. */
const longestLine = 16 * 1024 * 1024;

/** `accepts` is asked before a line is parsed, which takes most of the time. */
export function* readHistory(file: string, accepts: (line: string) => boolean = () => true): Generator<HistoryEntry> {
  for (const batch of readLineBatches(file, { maxLineBytes: longestLine })) {
    for (const { number, bytes, length } of batch) {
      if (bytes.length < length || bytes.length === 0) continue;
      const text = bytes.toString('utf8');
      const entry = accepts(text) ? entryOf(text, number) : undefined;
      if (entry !== undefined) yield entry;
    }
  }
}

function entryOf(text: string, line: number): HistoryEntry | undefined {
  const value = asObject(parseJson(text));
  const display = asString(value?.display);
  if (value === undefined || display === undefined || display.trim() === '') return undefined;
  const id = asString(value.sessionId);
  const project = asString(value.project);
  return {
    line,
    display,
    time: timeOf(value),
    project: project === undefined || !path.isAbsolute(project) ? undefined : project,
    sessionId: id !== undefined && isPlainId(id) ? id : undefined,
    pasted: isObject(value.pastedContents) ? value.pastedContents : {},
  };
}

function timeOf({ timestamp }: JsonObject): number {
  if (typeof timestamp === 'string') return Date.parse(timestamp);
  return typeof timestamp === 'number' && Math.abs(timestamp) <= 8.64e15 ? timestamp : Number.NaN;
}

/** Names of files and folders are made of it. */
export function isPlainId(id: string): boolean {
  return /^[\w-]{1,100}$/.test(id);
}

/** A longer paste is cut. */
const longestPaste = 1024 * 1024;

/**
 * What was typed, with the pasted texts in place of `[Pasted text #1 +29 lines]`. A text is in the entry itself or, if it
 * is long, in the folder `paste-cache` of the config folder; if the client has removed it there, the placeholder stays.
 */
export function wholePrompt({ display, pasted }: HistoryEntry, configFolder: string | undefined): string {
  return display.replace(/\[Pasted text #(\d{1,6})[^\]\n]{0,40}\]/g, (placeholder, number: string) => {
    const paste = pasted[number];
    return (isObject(paste) ? pastedText(paste, configFolder) : undefined) ?? placeholder;
  });
}

function pastedText(paste: JsonObject, configFolder: string | undefined): string | undefined {
  const content = asString(paste.content);
  if (content !== undefined) return content.slice(0, longestPaste);
  const hash = asString(paste.contentHash);
  if (configFolder === undefined || hash === undefined || !/^[0-9a-f]{8,64}$/.test(hash)) return undefined;
  const file = path.join(configFolder, 'paste-cache', `${hash}.txt`);
  return isLink(file) ? undefined : readStart(file, longestPaste)?.toString('utf8');
}

function isLink(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

/** The first bytes of a regular file; `undefined` if it cannot be read. */
export function readStart(file: string, maxBytes: number): Buffer | undefined {
  try {
    const descriptor = openRegularFile(file);
    try {
      const bytes = Buffer.alloc(Math.min(maxBytes, fstatSync(descriptor).size));
      return bytes.subarray(0, readSync(descriptor, bytes, 0, bytes.length, 0));
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return undefined;
  }
}

/** Commands of the client that start no turn: a session with nothing else in it never had a transcript. */
const localCommands = new Set(
  (
    'exit quit clear help login logout config settings model theme status cost usage resume rename memory mcp ' +
    'permissions doctor hooks agents vim terminal-setup release-notes bug feedback effort fast ide upgrade plugin ' +
    'export context todos tasks bashes statusline privacy-settings add-dir allowed-tools output-style color rewind'
  ).split(' '),
);

export function isLocalCommand(display: string): boolean {
  const name = /^\/([\w-]+)(?:\s|$)/.exec(display)?.[1];
  return name !== undefined && localCommands.has(name);
}

/** The name that a `/rename NAME` gives to its session. */
export function renamedTo(display: string): string | undefined {
  return /^\/rename\s+(\S.*)$/.exec(display)?.[1]?.trim();
}
