// What ages with the client: the texts it puts in and the tools it has, as client 2.1.325 showed them when it was run
// (src/models has the models it offers). Everything else about a resume is a rule; these are data.

export const clientVersion = '2.1.325';
export const syntheticModel = '<synthetic>';

/** Two names of one model: case and the long-context mark do not count. */
export function canonicalModel(model: string | undefined): string | undefined {
  return model?.replace(/\[1m\]$/i, '').toLowerCase();
}

/** The tools of `claude -p`; a reference to any other tool is taken out of a result. */
export const knownTools: ReadonlySet<string> = new Set([
  'Agent',
  'Task',
  'Bash',
  'Read',
  'Edit',
  'Write',
  'Skill',
  'ToolSearch',
  'TaskCreate',
  'TaskGet',
  'TaskList',
  'TaskUpdate',
  'TaskStop',
  'SendMessage',
  'WebSearch',
  'WebFetch',
  'NotebookEdit',
  'CronCreate',
  'CronDelete',
  'CronList',
  'EnterWorktree',
  'ExitWorktree',
  'Monitor',
]);

export const texts = {
  interrupted:
    "[Tool call interrupted: the session ended before this call's result was recorded, so its outcome is unknown. Check whether it took effect before relying on it or running it again.]",
  missingResult: '[Tool result missing due to internal error]',
  orphanedResult: '[Orphaned tool result removed due to conversation resume]',
  repeatedCall: '[Tool use interrupted]',
  noContent: '(no content)',
  noResponse: 'No response requested.',
  toolLoaded: 'Tool loaded.',
  referencesRemoved: '[Tool references removed - tools no longer available]',
} as const;

export const refusal = 'No conversation found';
