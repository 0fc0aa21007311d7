// The `toolUseResult` of a user line → its kind, recognised by its shape, because tools are renamed (Task → Agent) and
// the call may be missing. Arrays come from MCP, strings are mostly errors.
import { isArray, isObject, type JsonValue } from '../../base/json/index.ts';
import { type Fields, keepsPromises, type Shape } from './block.ts';

/** Known shapes (`fields.ts` explains the notation), specific ones first: the first match wins. */
export const toolResultFields = {
  // Bash output fetched later (BashOutput).
  shell: {
    shellId: 'string!',
    command: 'string',
    status: 'string',
    exitCode: 'number',
    stdout: 'string',
    stderr: 'string',
  },
  bash: {
    stdout: 'string!',
    stderr: 'string!',
    interrupted: 'boolean',
    isImage: 'boolean',
    noOutputExpected: 'boolean',
    returnCodeInterpretation: 'string',
    backgroundTaskId: 'string',
    persistedOutputPath: 'string',
    persistedOutputSize: 'number',
  },
  // Read: type is text, notebook, pdf, parts or file_unchanged.
  read: {
    type: 'string!',
    file: {
      filePath: 'string!',
      content: 'string',
      numLines: 'number',
      startLine: 'number',
      totalLines: 'number',
      truncatedByTokenCap: 'boolean',
      cells: 'array',
      base64: 'string',
      originalSize: 'number',
    },
  },
  // Read of an image; file.type is the media type.
  image: {
    type: 'string!',
    file: {
      base64: 'string!',
      type: 'string',
      originalSize: 'number',
      dimensions: {
        originalWidth: 'number',
        originalHeight: 'number',
        displayWidth: 'number',
        displayHeight: 'number',
      },
    },
  },
  // Write: type is create or update.
  write: {
    type: 'string!',
    filePath: 'string!',
    content: 'string!',
    structuredPatch: 'array',
    originalFile: 'string',
    userModified: 'boolean',
  },
  // Edit; MultiEdit with `edits` and `originalFileContents`.
  edit: {
    filePath: 'string!',
    structuredPatch: 'array!',
    oldString: 'string',
    newString: 'string',
    replaceAll: 'boolean',
    originalFile: 'string',
    edits: 'array',
    originalFileContents: 'string',
    userModified: 'boolean',
  },
  'notebook-edit': {
    notebook_path: 'string!',
    edit_mode: 'string!',
    cell_id: 'string',
    cell_type: 'string',
    old_source: 'string',
    new_source: 'string',
    original_file: 'string',
    updated_file: 'string',
  },
  glob: {
    filenames: 'strings!',
    numFiles: 'number!',
    truncated: 'boolean!',
    durationMs: 'number',
    totalMatches: 'number',
    countIsComplete: 'boolean',
  },
  grep: {
    filenames: 'strings!',
    numFiles: 'number!',
    mode: 'string',
    content: 'string',
    numLines: 'number',
    numMatches: 'number',
    appliedLimit: 'number',
    totalFiles: 'number',
    totalLines: 'number',
  },
  // A sub-agent or workflow that runs on in the background: status async_launched.
  'agent-launch': {
    isAsync: 'boolean!',
    status: 'string!',
    agentId: 'string',
    description: 'string',
    prompt: 'string',
    resolvedModel: 'string',
    outputFile: 'string',
    canReadOutputFile: 'boolean',
    canContinueAgent: 'boolean',
    runId: 'string',
    taskId: 'string',
    transcriptDir: 'string',
    scriptPath: 'string',
  },
  // A finished sub-agent: status completed. `usage` is that of its last message only.
  agent: {
    agentId: 'string!',
    status: 'string!',
    agentType: 'string',
    prompt: 'string',
    content: 'array',
    resolvedModel: 'string',
    totalDurationMs: 'number',
    totalTokens: 'number',
    totalToolUseCount: 'number',
    usage: 'object',
    toolStats: 'object',
    toolsUsed: 'strings',
    canContinueAgent: 'boolean',
    harnessNoteCount: 'number',
    harnessTailCount: 'number',
    harnessSectionHash: 'string',
    worktreePath: 'string',
    worktreeBranch: 'string',
  },
  // 1.0.x: the sub-agent's lines are in the same file and it has no id.
  'agent-without-id': {
    content: 'array!',
    totalToolUseCount: 'number!',
    totalDurationMs: 'number',
    totalTokens: 'number',
    usage: 'object',
    wasInterrupted: 'boolean',
  },
  teammate: { teammate_id: 'string!', status: 'string!', agent_id: 'string', name: 'string', team_name: 'string' },
  todos: { newTodos: 'array!', oldTodos: 'array', verificationNudgeNeeded: 'boolean' },
  'task-output': {
    retrieval_status: 'string!',
    task: { task_id: 'string', task_type: 'string', status: 'string', output: 'string', exitCode: 'number' },
  },
  task: { task: { id: 'string!', subject: 'string', description: 'string', status: 'string' } },
  'task-list': { tasks: 'array!' },
  'task-update': {
    taskId: 'string!',
    updatedFields: 'strings!',
    success: 'boolean',
    statusChange: { from: 'string', to: 'string' },
  },
  'task-stop': { task_id: 'string!', message: 'string', task_type: 'string', command: 'string' },
  'shell-stop': { shell_id: 'string!', message: 'string', success: 'boolean' },
  'web-fetch': {
    url: 'string!',
    result: 'string!',
    code: 'number',
    codeText: 'string',
    bytes: 'number',
    durationMs: 'number',
  },
  // Elements of `results`: a text, or `{tool_use_id, content: [{title, url}]}`.
  'web-search': { query: 'string!', results: 'array!', durationSeconds: 'number' },
  'tool-search': { query: 'string!', matches: 'strings!', total_deferred_tools: 'number' },
  plan: { plan: 'string!', isAgent: 'boolean', filePath: 'string' },
  // answers: question → answer.
  question: { questions: 'array!', answers: 'object', annotations: 'object' },
  skill: { commandName: 'string!', success: 'boolean' },
  message: {
    success: 'boolean!',
    message: 'string!',
    routing: { sender: 'string', target: 'string', summary: 'string', content: 'string' },
  },
} as const;

/** The shape of a stored tool result that Clew knows. */
export type ToolResultShape = keyof typeof toolResultFields;
/** The kind of a stored tool result. */
export type ToolResultKind = ToolResultShape | 'mcp' | 'error' | 'text' | 'other';
/** A stored tool result of one shape. */
export type ToolResultOf<K extends ToolResultShape> = Shape<(typeof toolResultFields)[K]>;
/** A stored tool result of a shape that Clew knows. */
export type KnownToolResult = { readonly [K in ToolResultShape]: ToolResultOf<K> }[ToolResultShape];
/** What a transcript stores as the result of a tool call. */
export type ToolResult = KnownToolResult | JsonValue;

/** One hunk of a `structuredPatch`. */
export type Hunk = Shape<typeof hunkFields>;
/** One element of `newTodos`, `oldTodos`; 1.0.x has id and priority, later clients activeForm. */
export type Todo = Shape<typeof todoFields>;

/** Returns the kind of a stored tool result. */
export function toolResultKind(value: unknown): ToolResultKind {
  if (typeof value === 'string') return errorStart.test(value) ? 'error' : 'text';
  if (isArray(value)) return 'mcp';
  if (!isObject(value)) return 'other';
  for (const [shape, fields] of shapes) if (keepsPromises(value, fields)) return shape;
  return 'other';
}

export function isHunk(value: unknown): value is Hunk {
  return keepsPromises(value, hunkFields);
}

export function isTodo(value: unknown): value is Todo {
  return keepsPromises(value, todoFields);
}

const shapes = Object.entries(toolResultFields) as readonly (readonly [ToolResultShape, Fields])[]; // its own keys

// The start of failed calls that were stored as a string (all 279 in the corpora); 1.0.x also stored plain text.
const errorStart =
  /^(?:Error: |InputValidationError: |User rejected tool use|The user doesn't want to |\[Tool call interrupted|\[Request interrupted)/;

const hunkFields = {
  oldStart: 'number!',
  oldLines: 'number!',
  newStart: 'number!',
  newLines: 'number!',
  lines: 'strings!',
} as const;

const todoFields = {
  content: 'string!',
  status: 'string!',
  activeForm: 'string',
  id: 'string',
  priority: 'string',
} as const;
