// Ids in the inputs of calls → names: the subject of a task, the type and description of a sub-agent. They are looked up
// when a call needs one, and only the lines that create tasks are read.
import { asObject, asString } from '../../base/json/index.ts';
import { blocksOf, contentOf, isToolResult, isToolUse, textOf } from '../../format/entry/index.ts';
import type { CallNames } from '../calls/index.ts';
import type { StoryAgent } from '../items/index.ts';
import { readEntry, type Session } from '../load/index.ts';
import { callsOf } from '../transcript/index.ts';

export class StoryNames implements CallNames {
  readonly #session: Session;
  readonly #agents: ReadonlyMap<string, StoryAgent>;
  /** Sub-agents work on the tasks of the session that started them. */
  readonly #above: CallNames | undefined;

  constructor(session: Session, agents: ReadonlyMap<string, StoryAgent>, above: CallNames | undefined) {
    this.#session = session;
    this.#agents = agents;
    this.#above = above;
  }

  readonly taskSubject = (id: string): string | undefined =>
    tasksOf(this.#session).get(id) ?? this.#above?.taskSubject(id);

  readonly agentName = (id: string): string | undefined => {
    const agent = this.#agents.get(id);
    return (agent === undefined ? undefined : nameOfAgent(agent)) ?? this.#above?.agentName(id);
  };
}

/** `Explore: find the tests`; `undefined` if the transcript has only its id. */
export function nameOfAgent({ agentType, description }: StoryAgent): string | undefined {
  return [agentType, description].filter(Boolean).join(': ') || undefined;
}

interface KnownTasks {
  readonly nodes: number;
  readonly subjects: ReadonlyMap<string, string>;
}

const remembered = new WeakMap<Session, KnownTasks>();

/** The last task with an id: a new list of tasks begins with 1 again. */
function tasksOf(session: Session): ReadonlyMap<string, string> {
  const { nodes } = session.transcript;
  const known = remembered.get(session);
  if (known?.nodes === nodes.length) return known.subjects;
  const subjects = new Map<string, string>();
  for (const node of nodes) {
    for (const call of callsOf(node)) {
      if (call.name !== 'TaskCreate') continue;
      const use = contentOf(readEntry(session, node)).find((block) => isToolUse(block) && block.id === call.id);
      const subject = use !== undefined && isToolUse(use) ? asString(asObject(use.input)?.subject) : undefined;
      const id = taskId(session, call.id);
      if (subject !== undefined && id !== undefined) subjects.set(id, subject);
    }
  }
  remembered.set(session, { nodes: nodes.length, subjects });
  return subjects;
}

/** From `Task #1 created successfully: …`. */
function taskId(session: Session, callId: string): string | undefined {
  const [result] = session.relatives.resultsFor(callId);
  if (result === undefined) return undefined;
  const blocks = contentOf(readEntry(session, result)).filter(isToolResult);
  const text = textOf(blocksOf(blocks.find((block) => block.tool_use_id === callId)?.content));
  return /^Task #(\S{1,40}) created/.exec(text)?.[1];
}
