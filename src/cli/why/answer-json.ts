// Answers about lines → JSON: each call once, and the lines that refer to it by number.

import type { LineAnswer } from '../../authorship/answer/index.ts';
import { isoDate } from '../../base/json/index.ts';
import { formatReference, sessionPart, turnPart } from '../../memory/reference/index.ts';

/** A durable name of the turn, which `clew show` and `clew mcp` read. */
export function referenceOf({ sessionId, turnLine }: Edit['author']): string {
  return formatReference(sessionPart(sessionId), turnLine === undefined ? undefined : turnPart(turnLine));
}

type Edit = NonNullable<LineAnswer['edit']>;

export class CallList {
  readonly calls: object[] = [];
  readonly #numbers = new Map<string, number>();

  numberOf(edit: Edit | undefined): number | null {
    if (edit === undefined) return null;
    const key = `${edit.author.sessionId} ${edit.id}`;
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    this.#numbers.set(key, this.calls.length);
    this.calls.push(callJson(edit));
    return this.calls.length - 1;
  }
}

function callJson({ id, tool, time, author }: Edit): object {
  return {
    sessionId: author.sessionId,
    path: author.path,
    title: author.title ?? null,
    turn: author.turn ?? null,
    branch: author.branch ?? null,
    agentId: author.agentId ?? null,
    prompt: author.prompt ?? null,
    tool,
    toolUseId: id,
    time: Number.isNaN(time) ? null : isoDate(time),
    isArchived: author.isArchived,
    reference: referenceOf(author),
  };
}

export function lineJson(answer: LineAnswer, calls: CallList): object {
  const { line, text, verdict, how, doubt, commit, commitTime } = answer;
  return {
    line,
    text,
    verdict,
    call: calls.numberOf(answer.edit),
    how: how ?? null,
    doubt: doubt ?? null,
    commit: commit ?? null,
    committedAt: Number.isNaN(commitTime) ? null : isoDate(commitTime),
  };
}
