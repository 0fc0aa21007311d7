// All built-in tools, in the order in which the model sees them.
import type { Tool } from '../contract/index.ts';
import {
  type AgentType,
  askUserQuestionTool,
  exitPlanModeTool,
  makeAgentTool,
  todoWriteTool,
} from './conversation-tools.ts';
import { editTool, notebookEditTool, readTool, writeTool } from './files/index.ts';
import { makeGlobTool, makeGrepTool, type RipgrepPath } from './search/index.ts';
import { bashOutputTool, bashTool, killShellTool, taskStopTool } from './shell/index.ts';
import { makeWebFetchTool, type WebFetchOptions, webSearchTool } from './web/index.ts';

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
    notebookEditTool,
    todoWriteTool,
    makeWebFetchTool(web),
    webSearchTool,
    askUserQuestionTool,
    exitPlanModeTool,
  ];
}
