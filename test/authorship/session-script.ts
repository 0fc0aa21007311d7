// Writes a session as the clients 2.1.45 and 2.1.325 write it: prompts, calls that change files with their stored
// results, failed and declined calls, commands, and sub-agents, whose results are not stored.
import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { structuredPatch } from 'diff';

export type ClientVersion = '2.1.45' | '2.1.325';

export interface SessionPlace {
  /** A root with `projects/`. */
  readonly root: string;
  readonly cwd: string;
  readonly version: ClientVersion;
  /** Milliseconds; each line is a second later. */
  readonly clock: { now: number };
}

type Json = Record<string, unknown>;

export interface FileCall {
  readonly file: string;
  /** The whole file before, with its line ends; `undefined` if it is new. */
  readonly before: string | undefined;
  readonly after: string;
}

export class SessionScript {
  readonly id: string = randomUUID();
  turn = 0;
  readonly #place: SessionPlace;
  readonly #lines: Json[] = [];
  readonly #agents = new Map<string, Json[]>();
  readonly #parents = new Map<string, string | null>();
  #calls = 0;

  constructor(place: SessionPlace) {
    this.#place = place;
  }

  prompt(text: string): void {
    this.turn++;
    this.#add({ type: 'user', message: { role: 'user', content: text } });
  }

  edit(call: FileCall, from: string, to: string, options: { isEverywhere?: boolean; agentId?: string } = {}): void {
    const { file, before = '', after } = call;
    const { isEverywhere = false, agentId } = options;
    const input = { file_path: file, old_string: from, new_string: to, ...(isEverywhere && { replace_all: true }) };
    const result = {
      filePath: file,
      oldString: from,
      newString: to,
      originalFile: plain(before),
      structuredPatch: hunks(before, after),
      userModified: false,
      replaceAll: isEverywhere,
    };
    this.#call('Edit', input, `The file ${file} has been updated successfully.`, result, agentId);
  }

  /** The user changed the proposed text: the stored patch has what was written. */
  changedEdit(call: FileCall, from: string, proposed: string): void {
    const { file, before = '', after } = call;
    const patch = hunks(before, after);
    const result = { filePath: file, oldString: from, newString: proposed, originalFile: plain(before) };
    this.#call(
      'Edit',
      { file_path: file, old_string: from, new_string: proposed },
      `The user modified your proposed changes before accepting them.`,
      { ...result, structuredPatch: patch, userModified: true, replaceAll: false },
      undefined,
    );
  }

  multiEdit(
    { file, before = '', after }: FileCall,
    edits: readonly { old_string: string; new_string: string }[],
  ): void {
    const result = {
      filePath: file,
      edits,
      originalFileContents: plain(before),
      structuredPatch: hunks(before, after),
    };
    this.#call('MultiEdit', { file_path: file, edits }, `Applied ${edits.length} edits to ${file}`, {
      ...result,
      userModified: false,
    });
  }

  write({ file, before, after }: FileCall, agentId?: string): void {
    const content = plain(after);
    const isNew = this.#place.version === '2.1.325';
    const result = {
      type: before === undefined ? 'create' : 'update',
      filePath: file,
      content,
      structuredPatch: before === undefined ? [] : hunks(before, after),
      originalFile: before === undefined ? null : plain(before),
      ...(isNew && { userModified: false }),
    };
    this.#call('Write', { file_path: file, content }, `File written: ${file}`, result, agentId);
  }

  bash(command: string, stdout = ''): void {
    const result = { stdout, stderr: '', interrupted: false, isImage: false, noOutputExpected: false };
    this.#call('Bash', { command, description: 'Run it' }, stdout, result);
  }

  failedEdit(file: string, from: string, to: string, isDeclined: boolean): void {
    const text = isDeclined
      ? "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file)."
      : '<tool_use_error>String to replace not found in file.</tool_use_error>';
    const error = isDeclined ? 'User rejected tool use' : `Error: ${text}`;
    this.#call('Edit', { file_path: file, old_string: from, new_string: to }, text, error, undefined, true);
  }

  /** Starts a sub-agent; its calls are given its id. */
  agent(task: string): string {
    const agentId = `a${randomUUID().replaceAll('-', '').slice(0, 16)}`;
    const name = this.#place.version === '2.1.45' ? 'Task' : 'Agent';
    this.#agents.set(agentId, []);
    this.#add({ type: 'user', message: { role: 'user', content: task } }, agentId);
    const result = { status: 'completed', prompt: task, agentId, content: [{ type: 'text', text: 'Done.' }] };
    this.#call(name, { description: 'Work', prompt: task, subagent_type: 'general-purpose' }, 'Done.', {
      ...result,
      totalDurationMs: 10,
      totalTokens: 10,
      totalToolUseCount: 1,
      usage: {},
    });
    return agentId;
  }

  save(): void {
    const { root, cwd } = this.#place;
    const folder = path.join(root, 'projects', cwd.replace(/[^a-zA-Z0-9]/g, '-'));
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, `${this.id}.jsonl`), textOf(this.#lines));
    if (this.#agents.size === 0) return;
    const agents = path.join(folder, this.id, 'subagents');
    mkdirSync(agents, { recursive: true });
    for (const [id, lines] of this.#agents) writeFileSync(path.join(agents, `agent-${id}.jsonl`), textOf(lines));
  }

  #call(name: string, input: Json, text: string, result: unknown, agentId?: string, isError = false): void {
    const id = `toolu_${this.id.slice(0, 8)}${String(++this.#calls).padStart(6, '0')}`;
    const uuid = this.#add(
      {
        type: 'assistant',
        message: {
          id: `msg_${id}`,
          type: 'message',
          role: 'assistant',
          model: 'claude-opus-4-5-20251101',
          content: [{ type: 'tool_use', id, name, input }],
          stop_reason: 'tool_use',
          usage: { input_tokens: 5, output_tokens: 5 },
        },
      },
      agentId,
    );
    const block = { tool_use_id: id, type: 'tool_result', content: text, ...(isError && { is_error: true }) };
    this.#add(
      {
        type: 'user',
        message: { role: 'user', content: [block] },
        ...(agentId === undefined && { toolUseResult: result }),
        sourceToolAssistantUUID: uuid,
      },
      agentId,
    );
  }

  #add(fields: Json, agentId?: string): string {
    const { cwd, version, clock } = this.#place;
    clock.now += 1000;
    const uuid = randomUUID();
    const key = agentId ?? '';
    const lines = agentId === undefined ? this.#lines : (this.#agents.get(agentId) as Json[]);
    lines.push({
      parentUuid: this.#parents.get(key) ?? null,
      isSidechain: agentId !== undefined,
      userType: 'external',
      cwd,
      sessionId: this.id,
      version,
      gitBranch: 'main',
      ...(agentId === undefined ? {} : { agentId }),
      ...fields,
      uuid,
      timestamp: new Date(clock.now).toISOString(),
    });
    this.#parents.set(key, uuid);
    return uuid;
  }
}

/** The client shows and stores text with plain newlines. */
function plain(text: string): string {
  return text.replaceAll('\r\n', '\n');
}

function hunks(before: string, after: string): readonly object[] {
  return structuredPatch('', '', plain(before), plain(after), '', '', { context: 3 }).hunks.map(
    ({ oldStart, oldLines, newStart, newLines, lines }) => ({ oldStart, oldLines, newStart, newLines, lines }),
  );
}

function textOf(lines: readonly Json[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}
