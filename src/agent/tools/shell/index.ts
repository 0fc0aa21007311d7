export { makeWorkspace } from './background.ts';
export { bashTool } from './bash.ts';
export { bashOutputTool, killShellTool, taskStopTool } from './shell-tasks.ts';
