// The input of a tool call → one line that says what it asks for. Tasks and agents are named, not numbered, as far as the
// session knows their names.
import { asObject, asString, isArray, isObject, type JsonObject, type JsonValue } from '../../base/json/index.ts';

/** Names for the ids in an input. */
export interface CallNames {
  /** The subject of a task that `TaskCreate` made. */
  taskSubject(id: string): string | undefined;
  agentName(id: string): string | undefined;
}

const noNames: CallNames = { taskSubject: () => undefined, agentName: () => undefined };

/** The field of a tool's input that says most. Other tools show their first text. */
const tellingField: Readonly<Record<string, string>> = {
  Agent: 'description',
  Bash: 'command',
  CronDelete: 'id',
  Edit: 'file_path',
  Glob: 'pattern',
  Grep: 'pattern',
  LS: 'path',
  Monitor: 'description',
  MultiEdit: 'file_path',
  NotebookEdit: 'notebook_path',
  Read: 'file_path',
  Task: 'description',
  TaskCreate: 'subject',
  TeamCreate: 'team_name',
  ToolSearch: 'query',
  WebFetch: 'url',
  WebSearch: 'query',
  Write: 'file_path',
};

/** Tools whose input needs more than one field. */
const lines: Readonly<Record<string, (input: JsonObject, names: CallNames) => string | undefined>> = {
  TaskUpdate: taskUpdate,
  TaskGet: ({ taskId }, names) => taskName(taskId, names),
  TaskOutput: ({ task_id }, { agentName }) => named(task_id, agentName),
  TaskStop: ({ task_id }, { agentName }) => named(task_id, agentName),
  AgentOutputTool: ({ agentId }, { agentName }) => named(agentId, agentName),
  SendMessage: sendMessage,
  Skill: ({ skill, args }) => joined(' ', asString(skill), asString(args)),
  SlashCommand: ({ command }) => asString(command),
  CronCreate: ({ cron, prompt }) => joined(': ', asString(cron), asString(prompt)),
  ScheduleWakeup: ({ delaySeconds, reason }) =>
    joined(': ', typeof delaySeconds === 'number' ? `in ${delaySeconds} s` : undefined, asString(reason)),
  Workflow: ({ script, name }) => asString(name) ?? /\bname:\s*['"`]([^'"`\n]{1,80})/.exec(asString(script) ?? '')?.[1],
  AskUserQuestion: ({ questions }) => (isArray(questions) ? questionLine(questions) : undefined),
  ExitPlanMode: ({ plan }) => planLine(plan),
  exit_plan_mode: ({ plan }) => planLine(plan),
};

export function summariseInput(name: string, input: JsonValue | undefined, names: CallNames = noNames): string {
  if (!isObject(input)) return typeof input === 'string' ? input : '';
  if (isArray(input.todos)) return todoSummary(input.todos);
  const line = Object.hasOwn(lines, name) ? lines[name]?.(input, names) : undefined;
  if (line !== undefined && line !== '') return line;
  const field = Object.hasOwn(tellingField, name) ? tellingField[name] : undefined;
  const text = field === undefined ? undefined : asString(input[field]);
  return text ?? (name.startsWith('mcp__') ? namedValues(input) : firstText(input));
}

/** The tools of a server are not known: `owner: kim, repo: w, number: 12`; of a single value its name says nothing. */
function namedValues(input: JsonObject): string {
  const values = Object.entries(input).filter(([, value]) => typeof value !== 'object' && String(value).trim() !== '');
  if (values.length <= 1) return String(values[0]?.[1] ?? '');
  return values.map(([key, value]) => `${key}: ${String(value)}`).join(', ');
}

function firstText(input: JsonObject): string {
  for (const value of Object.values(input)) if (typeof value === 'string' && value.trim() !== '') return value;
  return '';
}

function joined(separator: string, ...parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== '').join(separator);
}

function todoSummary(todos: readonly JsonValue[]): string {
  const all = todos.map((todo) => asObject(todo));
  const done = all.filter((todo) => todo?.status === 'completed').length;
  const current = all.find((todo) => todo?.status === 'in_progress');
  return joined(' · ', `${done} of ${todos.length} done`, asString(current?.activeForm) ?? asString(current?.content));
}

function taskName(id: JsonValue | undefined, { taskSubject }: CallNames): string | undefined {
  if (typeof id !== 'string' && typeof id !== 'number') return undefined;
  return joined(' ', `#${id}`, taskSubject(String(id)));
}

/** `#1 Write the tests → in progress`. */
function taskUpdate(input: JsonObject, names: CallNames): string | undefined {
  const task = taskName(input.taskId, names);
  if (task === undefined) return undefined;
  const changes = [
    asString(input.status)?.replaceAll('_', ' '),
    ...['owner', 'subject', 'activeForm'].map((key) => asString(input[key])),
    ...['addBlocks', 'addBlockedBy'].map((key) => dependencies(key, input[key])),
  ].filter((change) => change !== undefined && change !== '');
  return changes.length === 0 ? task : `${task} → ${changes.join(', ')}`;
}

function dependencies(key: string, ids: JsonValue | undefined): string | undefined {
  if (!isArray(ids) || ids.length === 0) return undefined;
  const list = ids.map((id) => `#${String(id)}`).join(', ');
  return key === 'addBlocks' ? `blocks ${list}` : `waits for ${list}`;
}

/** The agent's name, and the id only if there is none. */
function named(id: JsonValue | undefined, nameOf: (id: string) => string | undefined): string | undefined {
  const text = asString(id);
  return text === undefined ? undefined : (nameOf(text) ?? text);
}

function sendMessage(input: JsonObject, { agentName }: CallNames): string | undefined {
  const to = named(input.to ?? input.recipient, agentName);
  const words = asString(input.summary) ?? asString(input.message) ?? asString(input.content);
  const type = asString(input.type);
  const isPlain = type === undefined || type === 'message';
  return joined(
    ': ',
    to === undefined ? undefined : `to ${to}`,
    isPlain ? words : (type.replaceAll('_', ' ') ?? words),
  );
}

function questionLine(questions: readonly JsonValue[]): string {
  return questions.map((each) => asString(asObject(each)?.question) ?? '').join(' · ');
}

/** Its first line, which is a heading. */
function planLine(plan: JsonValue | undefined): string | undefined {
  const first = asString(plan)?.trim().split('\n', 1)[0];
  return first?.replace(/^#+\s*/, '');
}
