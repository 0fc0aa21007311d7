// The context of a `/command` in the running console: print, ask, and run commands of the program with their output in
// the chat.
import { Writable } from 'node:stream';
import type { Agent } from '../../../agent/contract/index.ts';
import { type CommandInput, type CommandIo, Unread } from '../../command/index.ts';
import type { CommandContext, ProgramFlags, ProgramName } from './command.ts';

export interface ContextParts
  extends Pick<CommandContext, 'say' | 'ask' | 'setPrompt' | 'prompt' | 'editFile' | 'copy' | 'exit'> {
  readonly agent: Agent;
  readonly argument: string;
  readonly io: CommandIo;
  readonly root: string;
  readonly columns: number;
  readonly agents: readonly string[];
  pickSession(input: CommandInput): Promise<string | undefined>;
}

export function commandContext(parts: ContextParts): CommandContext {
  const { agent, io, root, columns, say, pickSession, ...rest } = parts;
  const inputFor = (words: readonly string[], flags: ProgramFlags, output: Collected, notices: Collected) => {
    const sink = (stream: Collected) => Object.assign(stream, { isTTY: false, columns });
    const own: CommandIo = { ...io, stdout: sink(output), stderr: sink(notices), cwd: agent.state.cwd };
    const input: CommandInput = {
      argument: words[0],
      words,
      flags: { ...flags, root: [root] },
      io: own,
      unread: new Unread(own.stderr),
    };
    return input;
  };
  return {
    ...rest,
    agent,
    root,
    say,
    nowMs: Date.now(),
    runProgram: async (name, words, flags) => {
      const output = new Collected();
      await runProgram(name, inputFor(words, flags, output, output));
      say({ kind: 'lines', lines: output.text.trimEnd().split('\n') });
    },
    collect: async (name, words, flags) => {
      const output = new Collected();
      await runProgram(name, inputFor(words, flags, output, new Collected()));
      return output.text;
    },
    pickSession: () => {
      const notices = new Collected();
      return pickSession({ ...inputFor([], {}, notices, notices), io: { ...io, cwd: agent.state.cwd } });
    },
  };
}

async function runProgram(name: ProgramName, input: CommandInput): Promise<void> {
  const { run } = name === 'export' ? await import('../../export/command.ts') : await import('../../doctor/command.ts');
  await run(input);
}

/** The output of our own commands is neutralised and styled already. */
class Collected extends Writable {
  text = '';

  override _write(chunk: Buffer | string, _encoding: BufferEncoding, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}
