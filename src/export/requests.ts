// A session → a request of the Messages API: the model and the messages that Claude Code sends when it resumes the
// session, one JSON object on a line.
import { exitCodes, UserError } from '../base/errors/errors.ts';
import { jsonText } from '../base/json/json-text.ts';
import type { WireMessage } from '../session/resume/messages/draft.ts';
import { requestMessages } from '../session/resume/request/request.ts';
import type { ExportSource } from './source/source.ts';

export interface ExportedRequest {
  readonly model: string;
  readonly messages: readonly WireMessage[];
}

/** Yields a session as a request of the Messages API, in JSON. */
export function* exportAnthropic(source: ExportSource): Generator<string> {
  const { model, messages } = sentMessages(source);
  yield `{"model":${source.hide(jsonText(model))},"messages":[`;
  for (const [i, message] of messages.entries()) yield `${i === 0 ? '' : ','}${jsonText(message)}`;
  yield ']}\n';
}

/** What a resume sends before a new prompt; a session that it refuses has no request. */
export function sentMessages({ session }: ExportSource): ExportedRequest {
  const request = requestMessages(session, undefined, { host: 'anthropic' });
  if ('refused' in request || request.messages.length === 0) {
    const why = 'refused' in request ? request.refused : 'it holds no message';
    throw new UserError(
      `there is nothing to send of ${session.id}: ${why}`,
      '`--format json` has what is in it',
      exitCodes.refused,
    );
  }
  return request;
}
