// Tool calls with their results, as content blocks for transcript.mjs: a short description of the call → its input, the text
// for the model and the toolUseResult that a client shows.

export const text = (value) => ({ type: 'text', text: value });

export const thinking = (value, signature) => ({ type: 'thinking', thinking: value, signature });

const call = (name, input, result) => ({ type: 'tool_use', id: '', name, input, result });

/** A small disk, so that what is read is what was edited before. */
export function createDisk(files) {
  const disk = new Map(Object.entries(files));

  function read(filePath) {
    const content = disk.get(filePath);
    const lines = content.split('\n');
    const file = { filePath, content, numLines: lines.length, startLine: 1, totalLines: lines.length };
    const numbered = lines.map((line, index) => `${index + 1}\t${line}`).join('\n');
    return call('Read', { file_path: filePath }, { content: numbered, detail: { type: 'text', file } });
  }

  function edit(filePath, oldString, newString) {
    const originalFile = disk.get(filePath);
    const at = originalFile.indexOf(oldString);
    if (at < 0 || originalFile.indexOf(oldString, at + 1) >= 0) throw new Error(`${filePath}: not exactly once`);
    const updated = originalFile.slice(0, at) + newString + originalFile.slice(at + oldString.length);
    disk.set(filePath, updated);
    const structuredPatch = [patchHunk(originalFile, updated)];
    const input = { file_path: filePath, old_string: oldString, new_string: newString, replace_all: false };
    const detail = {
      filePath,
      oldString,
      newString,
      originalFile,
      structuredPatch,
      userModified: false,
      replaceAll: false,
    };
    return call('Edit', input, { content: `The file ${filePath} has been updated.`, detail });
  }

  function write(filePath, content) {
    disk.set(filePath, content);
    const detail = { type: 'create', filePath, content, structuredPatch: [], originalFile: null, userModified: false };
    return call('Write', { file_path: filePath, content }, { content: `File created at ${filePath}.`, detail });
  }

  return { read, edit, write };
}

export function bash(command, description, stdout, durationMs = 400) {
  const detail = { stdout, stderr: '', interrupted: false, isImage: false, noOutputExpected: false };
  return call('Bash', { command, description }, { content: stdout, detail, durationMs });
}

export function failedBash(command, description, code, output, durationMs = 400) {
  const content = `Exit code ${code}\n${output}`;
  return call('Bash', { command, description }, { content, detail: `Error: ${content}`, isError: true, durationMs });
}

export function grep(pattern, filenames) {
  const detail = { mode: 'files_with_matches', filenames, numFiles: filenames.length };
  const content = `Found ${filenames.length} files\n${filenames.join('\n')}`;
  return call('Grep', { pattern, output_mode: 'files_with_matches' }, { content, detail });
}

export function glob(pattern, filenames) {
  const detail = { filenames, durationMs: 21, numFiles: filenames.length, truncated: false };
  return call('Glob', { pattern }, { content: filenames.join('\n'), detail });
}

/** `before` and `after` are the whole lists: [content, activeForm, status]. */
export function todos(before, after) {
  const list = (items) => items.map(([content, activeForm, status]) => ({ content, status, activeForm }));
  const detail = { oldTodos: list(before), newTodos: list(after) };
  return call('TodoWrite', { todos: list(after) }, { content: 'The list has been updated.', detail });
}

export function exitPlanMode(plan, filePath) {
  const content = 'The user has approved the plan.';
  return call('ExitPlanMode', { plan }, { content, detail: { plan, isAgent: false, filePath } });
}

/** `run(toolUseId)` is called when the call has its id, before the result is written; it returns the agent's answer. */
export function agent(type, description, prompt, run) {
  const result = { content: [], detail: {} };
  result.before = (toolUseId) => {
    const { agentId, answer, durationMs, totalTokens, calls, usage } = run(toolUseId);
    result.content = [text(answer), text(`agentId: ${agentId}`)];
    result.detail = { status: 'completed', prompt, agentId, agentType: type, content: [text(answer)] };
    Object.assign(result.detail, { totalDurationMs: durationMs, totalTokens, totalToolUseCount: calls, usage });
  };
  return call('Agent', { description, subagent_type: type, prompt }, result);
}

function patchHunk(before, after) {
  const [from, to] = [before.split('\n'), after.split('\n')];
  let head = 0;
  while (from[head] === to[head]) head++;
  let tail = 0;
  while (tail < Math.min(from.length, to.length) - head && from.at(-1 - tail) === to.at(-1 - tail)) tail++;
  const start = Math.max(0, head - 3);
  const trailing = from.slice(from.length - tail, from.length - tail + 3);
  const context = from.slice(start, head).length + (trailing.at(-1) === '' ? trailing.length - 1 : trailing.length);
  const kept = trailing.at(-1) === '' ? trailing.slice(0, -1) : trailing;
  const [removed, added] = [from.slice(head, from.length - tail), to.slice(head, to.length - tail)];
  return {
    oldStart: start + 1,
    oldLines: context + removed.length,
    newStart: start + 1,
    newLines: context + added.length,
    lines: [
      ...from.slice(start, head).map((line) => ` ${line}`),
      ...removed.map((line) => `-${line}`),
      ...added.map((line) => `+${line}`),
      ...kept.map((line) => ` ${line}`),
    ],
  };
}
