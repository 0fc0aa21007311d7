// clew messages SESSION: what a resume sends, as JSON; exit 3 where the client would refuse the file.
import { exitCodes, UserError } from '../base/errors.ts';
import { refuseForeign } from '../session/recognise.ts';
import { requestMessages } from '../session/resume/request.ts';
import { type CommandInput, textFlag } from './command.ts';
import { jsonText } from './json-text.ts';
import { findSessionArgument, readSession } from './session-argument.ts';
import { writeOut } from './terminal/output.ts';

export async function run(input: CommandInput): Promise<void> {
  const session = await readSession(input, await findSessionArgument(input));
  refuseForeign(session.transcript);
  const request = requestMessages(session, textFlag(input.flags, 'prompt'));
  if ('refused' in request) {
    throw new UserError(
      `Claude Code would refuse ${session.transcript.path}: ${request.refused}`,
      session.transcript.nodes.length > 0 ? '`clew show` reads what is in it' : 'run `clew ls` for the others',
      exitCodes.refused,
    );
  }
  await writeOut(pieces(request.messages), input.io);
}

/** One message a line: a conversation of hundreds of megabytes does not become one string. */
function* pieces(messages: readonly unknown[]): Generator<string> {
  yield '[';
  for (const [i, message] of messages.entries()) yield `${i === 0 ? '\n' : ',\n'}${jsonText(message)}`;
  yield '\n]\n';
}
