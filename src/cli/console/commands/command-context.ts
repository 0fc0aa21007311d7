// The context of a `/command` in the running console: print, ask, and run commands of the program with their output in
// the chat.
import { Writable } from 'node:stream';
import type { Agent } from '../../../agent/contract/index.ts';
import { type CommandInput, type CommandIo, Unread } from '../../command/index.ts';
import { shortFolder } from '../../render/index.ts';
import type { CommandContext, SessionChoiceRow } from './slash-commands.ts';

export interface ContextParts extends Pick<CommandContext, 'say' | 'ask' | 'setPrompt' | 'exit'> {
  readonly agent: Agent;
  readonly argument: string;
  readonly io: CommandIo;
  readonly root: string;
  readonly columns: number;
}

export function commandContext(parts: ContextParts): CommandContext {
  const { agent, argument, io, root, columns, say, ask, setPrompt, exit } = parts;
  const inChat = (sink: Writable): CommandIo => {
    const stream = Object.assign(sink, { isTTY: false, columns });
    return { ...io, stdout: stream, stderr: stream, cwd: agent.state.cwd };
  };
  return {
    agent,
    argument,
    nowMs: Date.now(),
    say,
    ask,
    setPrompt,
    exit,
    runProgram: async (name, words, flags) => {
      const { run } =
        name === 'export' ? await import('../../export/command.ts') : await import('../../doctor/command.ts');
      const output = new Collected();
      const io = inChat(output);
      const unread = new Unread(io.stderr);
      const input: CommandInput = { argument: words[0], words, flags: { ...flags, root: [root] }, io, unread };
      await run(input);
      say({ kind: 'lines', lines: output.text.trimEnd().split('\n') });
    },
    listSessions: () => {
      const io = inChat(new Collected());
      const unread = new Unread(io.stderr);
      return listSessions({ argument: undefined, words: [], flags: { root: [root] }, io, unread });
    },
  };
}

/** The output of our own commands is neutralised and styled already. */
class Collected extends Writable {
  text = '';

  override _write(chunk: Buffer | string, _encoding: BufferEncoding, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}

const maxSessions = 50;

async function listSessions(input: CommandInput): Promise<readonly SessionChoiceRow[]> {
  const { currentSessions } = await import('../../input/current-index.ts');
  const { lastUse } = await import('../../ls/render.ts');
  const { sessions } = await currentSessions(input);
  const isHere = (cwd: string | undefined): number => (cwd === input.io.cwd ? 0 : 1);
  return sessions
    .filter(({ turns }) => turns > 0)
    .sort((a, b) => isHere(a.cwd) - isHere(b.cwd) || lastUse(b) - lastUse(a))
    .slice(0, maxSessions)
    .map((session) => ({
      path: session.path,
      sessionId: session.sessionId,
      title: session.title ?? '(untitled)',
      lastUseMs: lastUse(session),
      folder: shortFolder(session.cwd ?? session.project),
    }));
}
