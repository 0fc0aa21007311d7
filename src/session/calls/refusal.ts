// The text of a failed call → whether the user declined it or interrupted it: neither is an error of the tool.

/** How the user ended a call, and what the user said with it. */
export interface Refusal {
  readonly state: 'declined' | 'interrupted';
  /** Empty if the user gave no reason. */
  readonly reply: string;
}

const declined = /^(?:Error: )?The user doesn't want to (?:proceed with this tool use|take this action right now)/;
const reason =
  /(?:the user said:|The user provided the following reason for the rejection:)\s*([\s\S]*?)(?:\n\nNote: The user's next message[\s\S]*)?$/;
const interrupted = /^(?:Error: )?(?:Exit code \d{1,3}\n)?\[(?:Request|Tool call) interrupted/;

/** `undefined` if the call failed for another reason. */
export function readRefusal(text: string): Refusal | undefined {
  const start = text.slice(0, 200).trimStart();
  if (declined.test(start)) return { state: 'declined', reply: reason.exec(text)?.[1]?.trim() ?? '' };
  return interrupted.test(start) ? { state: 'interrupted', reply: '' } : undefined;
}

const nouns: Readonly<Record<string, string>> = {
  Edit: 'edit',
  MultiEdit: 'edit',
  NotebookEdit: 'edit',
  Write: 'file',
  Bash: 'command',
  ExitPlanMode: 'plan',
  exit_plan_mode: 'plan',
  Task: 'agent',
  Agent: 'agent',
  AskUserQuestion: 'question',
};

/** `You declined this edit: use pnpm`. */
export function refusalText(tool: string, { state, reply }: Refusal): string {
  if (state === 'interrupted') return 'Interrupted';
  return `You declined this ${nouns[tool] ?? 'call'}${reply === '' ? '' : `: ${reply}`}`;
}
