// The BashOutput, KillShell and TaskStop tools, which show and end background commands. TaskStop is the newer name of
// KillShell.
import { runInNewContext } from 'node:vm';
import * as z from 'zod';
import type { BackgroundTask, CallContext, Tool } from '../../contract/index.ts';
import { defineTool, limits, ToolFailure } from '../shared/index.ts';
import { trimLines } from './output.ts';

const idSchema = z.string().min(1, 'is empty').max(100, 'is too long');

export const bashOutputTool: Tool = defineTool({
  name: 'BashOutput',
  description:
    'Shows what a background command has printed since it was last asked, and whether it still runs. With filter (a regular expression) only the lines that match; the others are not shown again.',
  schema: z.object({
    bash_id: idSchema.describe('The id that Bash gave for the background command'),
    filter: z.string().max(limits.search.patternChars).optional().describe('A regular expression'),
  }),
  isReadOnly: true,
  run: async ({ bash_id, filter }, context) => {
    const matches = makeFilter(filter);
    const task = findTask(context, bash_id);
    const taken = task.takeOutput();
    const stdout = filterLines(task, taken.stdout, matches);
    const stderr = filterLines(task, taken.stderr, matches);
    const timestamp = new Date().toISOString();
    const exitCode = task.exitCode ?? null;
    const parts = [
      `<status>${task.state}</status>`,
      exitCode === null ? '' : `<exit_code>${exitCode}</exit_code>`,
      stdout === '' ? '' : `<stdout>\n${stdout}\n</stdout>`,
      stderr === '' ? '' : `<stderr>\n${stderr}\n</stderr>`,
      `<timestamp>${timestamp}</timestamp>`,
    ];
    return {
      content: parts.filter((part) => part !== '').join('\n\n'),
      isError: false,
      stored: {
        shellId: bash_id,
        command: task.command,
        status: task.state,
        exitCode,
        stdout,
        stderr,
        stdoutLines: countLines(stdout),
        stderrLines: countLines(stderr),
        timestamp,
      },
    };
  },
});

export const killShellTool: Tool = defineTool({
  name: 'KillShell',
  description: 'Ends a background command and everything it started.',
  schema: z.object({ shell_id: idSchema.describe('The id that Bash gave for the background command') }),
  isReadOnly: false,
  run: async ({ shell_id }, context) => {
    const { command } = await killTask(context, shell_id);
    const stored = { message: `Successfully killed shell: ${shell_id} (${command})`, shell_id };
    return { content: JSON.stringify(stored), isError: false, stored };
  },
});

export const taskStopTool: Tool = defineTool({
  name: 'TaskStop',
  description: 'Ends a background command and everything it started; the same as KillShell.',
  schema: z.object({
    task_id: idSchema.optional().describe('The id of the background command'),
    shell_id: idSchema.optional().describe('The older name of task_id'),
  }),
  isReadOnly: false,
  run: async ({ task_id, shell_id }, context) => {
    const id = task_id ?? shell_id;
    if (id === undefined) throw new ToolFailure('TaskStop needs task_id.');
    const { command } = await killTask(context, id);
    const stored = { message: `Successfully stopped task: ${id} (${command})`, task_id: id, command };
    return { content: JSON.stringify(stored), isError: false, stored };
  },
});

async function killTask(context: CallContext, id: string): Promise<BackgroundTask> {
  const task = findTask(context, id);
  if (task.state !== 'running')
    throw new ToolFailure(`Shell ${id} is not running, so cannot be killed (status: ${task.state})`);
  await task.kill('model');
  return task;
}

function findTask({ workspace: { background } }: CallContext, id: string): BackgroundTask {
  const task = background.find(id);
  if (task !== undefined) return task;
  const known = background.all.map((other) => other.id).slice(-20);
  throw new ToolFailure(
    `No task found with ID: ${id}. ${known.length === 0 ? 'No background command was started.' : `There are: ${known.join(', ')}.`}`,
  );
}

function makeFilter(filter: string | undefined): RegExp | undefined {
  if (filter === undefined) return undefined;
  try {
    return new RegExp(filter);
  } catch {
    throw new ToolFailure('filter is not a valid regular expression.');
  }
}

/** In a separate context, where an expression that never ends can be stopped. */
function filterLines({ outputFile }: BackgroundTask, text: string, matches: RegExp | undefined): string {
  const lines = trimLines(text);
  if (matches === undefined) return lines;
  try {
    const script = "text.split('\\n').filter((line) => matches.test(line)).join('\\n')";
    return String(runInNewContext(script, { text: lines, matches }, { timeout: limits.bash.filterMs }));
  } catch {
    throw new ToolFailure(`filter takes too long on this output. Use Grep on ${outputFile} instead.`);
  }
}

function countLines(text: string): number {
  return text === '' ? 0 : text.split('\n').length;
}
