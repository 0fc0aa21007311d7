// Counts the calls of a sub-agent by kind and the lines that it changed, as the client does in the result of its Agent
// tool.
import { asObject, asString, isArray, type JsonObject } from '../../base/json/index.ts';
import type { CallFinished } from '../contract/index.ts';

const kinds: Readonly<Record<string, 'readCount' | 'searchCount' | 'bashCount' | 'editFileCount'>> = {
  Read: 'readCount',
  Glob: 'searchCount',
  Grep: 'searchCount',
  Bash: 'bashCount',
  Edit: 'editFileCount',
  Write: 'editFileCount',
  NotebookEdit: 'editFileCount',
};

export class ToolStats {
  readonly #used = new Set<string>();
  readonly #counts = { readCount: 0, searchCount: 0, bashCount: 0, editFileCount: 0 };
  readonly #lines = { linesAdded: 0, linesRemoved: 0 };
  #others = 0;

  add({ call, outcome, refused }: Pick<CallFinished, 'call' | 'outcome' | 'refused'>): void {
    const kind = kinds[call.name];
    if (refused === undefined) this.#used.add(call.name);
    if (kind === undefined) this.#others++;
    else this.#counts[kind]++;
    if (kind === 'editFileCount' && !outcome.isError) this.#addLines(asObject(outcome.stored) ?? {});
  }

  /** The names of the tools that ran, in the order of their first call. */
  get toolsUsed(): readonly string[] {
    return [...this.#used];
  }

  get stats(): JsonObject {
    return { ...this.#counts, ...this.#lines, otherToolCount: this.#others };
  }

  #addLines({ type, content, structuredPatch }: JsonObject): void {
    if (type === 'create') {
      this.#lines.linesAdded += lineCount(asString(content) ?? '');
      return;
    }
    const hunks = isArray(structuredPatch) ? structuredPatch : [];
    const lines = hunks.flatMap((hunk) => asObject(hunk)?.lines ?? []);
    for (const line of lines) {
      if (String(line).startsWith('+')) this.#lines.linesAdded++;
      if (String(line).startsWith('-')) this.#lines.linesRemoved++;
    }
  }
}

function lineCount(text: string): number {
  return text === '' ? 0 : text.replace(/\n$/, '').split('\n').length;
}
