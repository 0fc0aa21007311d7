// All built-in tools, in the order in which the model sees them.
import type { Tool } from '../contract/tool.ts';
import {
  type AgentType,
  askUserQuestionTool,
  exitPlanModeTool,
  makeAgentTool,
  todoWriteTool,
} from './conversation-tools.ts';
import { editTool } from './files/edit.ts';
import { readTool } from './files/read.ts';
import { writeTool } from './files/write.ts';
import { makeGlobTool } from './search/glob.ts';
import { makeGrepTool } from './search/grep.ts';
import type { RipgrepPath } from './search/ripgrep.ts';
import { bashTool } from './shell/bash.ts';
import { bashOutputTool, killShellTool, taskStopTool } from './shell/shell-tasks.ts';
import { makeWebFetchTool, type WebFetchOptions } from './web/web-fetch.ts';
import { webSearchTool } from './web/web-search.ts';

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
