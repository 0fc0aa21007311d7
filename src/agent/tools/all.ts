// All built-in tools, in the order in which the model sees them.
import type { Tool } from '../tool.ts';
import { type AgentType, makeAgentTool } from './agent.ts';
import { bashTool } from './bash.ts';
import { editTool } from './edit.ts';
import { makeGlobTool } from './glob.ts';
import { makeGrepTool } from './grep.ts';
import { askUserQuestionTool, exitPlanModeTool } from './person.ts';
import { readTool } from './read.ts';
import type { RipgrepPath } from './ripgrep.ts';
import { bashOutputTool, killShellTool, taskStopTool } from './shell-tasks.ts';
import { todoWriteTool } from './todo-write.ts';
import { makeWebFetchTool, type WebFetchOptions } from './web-fetch.ts';
import { webSearchTool } from './web-search.ts';
import { writeTool } from './write.ts';

export interface ToolOptions {
  /** The types of sub-agents that Agent offers. Without types, Agent is left out. */
  readonly agentTypes?: readonly AgentType[];
  readonly web?: WebFetchOptions;
  /** The path of ripgrep, instead of the one from the npm package. */
  readonly rgPath?: RipgrepPath;
}

export function makeTools(options: ToolOptions = {}): readonly Tool[] {
  const { agentTypes = [], web = {}, rgPath } = options;
  return [
    ...(agentTypes.length === 0 ? [] : [makeAgentTool(agentTypes)]),
    bashTool,
    bashOutputTool,
    killShellTool,
    taskStopTool,
    makeGlobTool(rgPath),
    makeGrepTool(rgPath),
    readTool,
    editTool,
    writeTool,
    todoWriteTool,
    makeWebFetchTool(web),
    webSearchTool,
    askUserQuestionTool,
    exitPlanModeTool,
  ];
}
