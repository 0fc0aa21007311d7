// The slash commands that `clew -p` has of its own. All but `init`, which is a prompt, are answered without the model.
import type { JsonObject } from '../../../base/json/index.ts';

const described = {
  clear: ['begin a new session', ''],
  compact: ['replace the conversation with a summary', '[FOCUS]'],
  context: ['what fills the context window', ''],
  cost: ['tokens and dollars of this run', ''],
  usage: ['tokens and dollars of this run', ''],
  model: ['show or choose the model', '[NAME]'],
  effort: ['choose how much work an answer may take', '<low|medium|high|xhigh|max|auto>'],
  init: ['let the agent write CLAUDE.md for this project', ''],
} as const;

export const ownCommandNames: readonly string[] = Object.keys(described);
export type LocalCommandName = Exclude<keyof typeof described, 'init'>;

export function isLocalCommand(name: string): name is LocalCommandName {
  return name !== 'init' && Object.hasOwn(described, name);
}

/** As `supportedCommands` of the Agent SDK lists them. */
export function describeOwnCommands(): readonly JsonObject[] {
  return Object.entries(described).map(([name, [description, argumentHint]]) => ({
    ...{ name, description, argumentHint },
    builtin: true,
  }));
}
