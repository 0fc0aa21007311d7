// `clew:SESSION#TURN`: the name of a turn that stays right. SESSION is a session id or its start. TURN is the start of the
// uuid of a line of the turn, which a rewind does not change; the number of a turn and `LN`, a line of the transcript, are
// understood too.

/** A session, and a turn of it if it names one. */
export interface Reference {
  /** A session id or its start. */
  readonly session: string;
  readonly turn: TurnName | undefined;
}

export type TurnName =
  /** From 1, on the active branch. */
  | { readonly number: number }
  /** In small letters. */
  | { readonly uuid: string }
  /** Of the main transcript, from 1. */
  | { readonly line: number }
  /** The file name of a sub-agent's transcript without its ending, in small letters. */
  | { readonly transcript: string };

const scheme = 'clew:';
const longest = 300;

/** Takes `clew:SESSION#TURN`, `SESSION#TURN` and `SESSION`; `undefined` if the text is nothing of these. */
export function readReference(text: string): Reference | undefined {
  const whole = text.trim();
  if (whole.length > longest) return undefined;
  const named = whole.startsWith(scheme) ? whole.slice(scheme.length) : whole;
  const at = named.lastIndexOf('#');
  const session = decoded(at < 0 ? named : named.slice(0, at));
  if (session === undefined || !/^[^\s/\\\0#]+$/u.test(session)) return undefined;
  if (at < 0) return { session, turn: undefined };
  const turn = turnName(named.slice(at + 1));
  return turn === undefined ? undefined : { session, turn };
}

/** A number of eight digits is the start of a uuid: no session has so many turns. */
function turnName(text: string): TurnName | undefined {
  if (/^\d{1,7}$/.test(text)) return { number: Number(text) };
  const line = /^L(\d{1,9})$/.exec(text)?.[1];
  if (line !== undefined) return { line: Number(line) };
  if (/^agent-[0-9a-z_-]{1,58}$/i.test(text)) return { transcript: text.toLowerCase() };
  return /^[0-9a-z_-]{4,64}$/i.test(text) ? { uuid: text.toLowerCase() } : undefined;
}

/** The two words of a SESSION argument that is a reference; `undefined` for every other argument. */
export function referenceWords(
  argument: string,
): { readonly session: string; readonly turn: string | undefined } | undefined {
  if (!argument.startsWith(scheme)) return undefined;
  const found = readReference(argument);
  if (found === undefined) return undefined;
  const at = argument.lastIndexOf('#');
  return { session: found.session, turn: at < 0 ? undefined : argument.slice(at + 1).trim() };
}

export function formatReference(session: string, turn?: string): string {
  return `${scheme}${session}${turn === undefined ? '' : `#${turn}`}`;
}

const shortId = 13;

/** Two groups of a uuid, 48 bits: no two sessions of a user share them. Another id is written whole. */
export function sessionPart(sessionId: string): string {
  return isUuid(sessionId) ? sessionId.slice(0, shortId) : encoded(sessionId);
}

/** The start of the uuid of the turn's first line with one, or the number of its first line. */
export function turnPart(line: { readonly uuid: string | undefined; readonly line: number }): string {
  const { uuid } = line;
  if (uuid === undefined || !/^[0-9a-z_-]{4,64}$/i.test(uuid)) return `L${line.line}`;
  return isUuid(uuid) ? uuid.slice(0, shortId) : uuid;
}

/** The name of a sub-agent's transcript, if it can be part of a reference. */
export function agentPart(transcript: string): string | undefined {
  return /^agent-[0-9a-z_-]{1,58}$/i.test(transcript) ? transcript : undefined;
}

function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text);
}

function encoded(sessionId: string): string {
  return encodeURIComponent(sessionId.toWellFormed());
}

function decoded(session: string): string | undefined {
  if (!session.includes('%')) return session;
  try {
    return decodeURIComponent(session);
  } catch {
    return undefined;
  }
}
