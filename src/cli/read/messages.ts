// clew messages SESSION: the request of a resume as JSON; exit code 3 if the client would refuse the file.

import path from 'node:path';
import { hostOf } from '../../api/connection/index.ts';
import { exitCodes, UserError } from '../../base/errors/index.ts';
import { readRegularText } from '../../base/files/index.ts';
import { asObject, jsonText, parseJson } from '../../base/json/index.ts';
import type { Session } from '../../session/load/index.ts';
import { checkedVersion, isNewerClient, newestClient, rulesVersion } from '../../session/resume/client/index.ts';
import type { ClientHost } from '../../session/resume/messages/index.ts';
import {
  autoCompactionOf,
  fullRequest,
  leftAfterCompaction,
  requestMessages,
} from '../../session/resume/request/index.ts';
import { refuseForeign } from '../../session/transcript/index.ts';
import { type CommandInput, textFlag } from '../command/index.ts';
import { findSessionArgument, readSession, rootsOf } from '../input/index.ts';
import { onStoreCopies } from '../source/index.ts';
import { writeNotice, writeOut } from '../terminal/index.ts';

export function run(input: CommandInput): Promise<void> {
  return onStoreCopies(input, 'messages', printMessages);
}

async function printMessages(input: CommandInput): Promise<void> {
  const host = clientHostOf(input);
  const named = textFlag(input.flags, 'client');
  const client = named === undefined ? undefined : checkedVersion(named);
  if (client !== undefined && input.flags.full === true && rulesVersion(client) !== newestClient) {
    throw new UserError(`--full is known for Claude Code ${newestClient} only`, 'leave out --full or --client');
  }
  const session = await readSession(input, await findSessionArgument(input));
  refuseForeign(session.transcript);
  const prompt = textFlag(input.flags, 'prompt');
  const ask = input.flags.full === true ? fullRequest : requestMessages;
  const request = ask(session, prompt, { host, ...(client === undefined ? {} : { client }) });
  if ('refused' in request) {
    throw new UserError(
      `Claude Code ${client === undefined ? '' : `${client} `}would refuse ${session.transcript.path}: ${request.refused}`,
      session.transcript.nodes.length > 0 ? '`clew show` prints what is in it' : 'run `clew ls` for other sessions',
      exitCodes.refused,
    );
  }
  for (const note of notesOn(session, request.messages.length, client)) writeNotice(input.io.stderr, note);
  const { messages, ...rest } = request;
  await writeOut(
    input.flags.full === true
      ? fullPieces({ ...rest, client: clientJson(client) }, session, messages)
      : pieces(messages),
    input.io,
  );
}

function* notesOn(session: Session, messages: number, client: string | undefined): Generator<string> {
  if (messages === 0) yield 'a resume sends nothing of this session; `clew show` prints what is in it';
  if (client !== undefined && isNewerClient(client)) {
    yield `Claude Code ${client} is newer than ${newestClient}, the newest known version, so the rules of ${newestClient} are used; \`clew doctor --client\` tests the installed one`;
  }
  const newer = session.transcript.nodes.findLast(({ version }) => version !== undefined && isNewerClient(version));
  if (newer !== undefined && client === undefined) {
    yield `the session was written by Claude Code ${newer.version}, which is newer than ${newestClient}, the newest known version; it may send something else`;
  }
  const compaction = autoCompactionOf(session);
  if (compaction === undefined) return;
  const { tokens, limit } = compaction;
  yield `the client compacts first: about ${tokens} tokens exceed its limit of ${limit}; this remains: ${leftAfterCompaction}`;
}

/** One message per line, because hundreds of megabytes must not become one string. */
function* pieces(messages: readonly unknown[]): Generator<string> {
  yield '[';
  for (const [i, message] of messages.entries()) yield `${i === 0 ? '\n' : ',\n'}${jsonText(message)}`;
  yield '\n]\n';
}

function clientJson(client: string | undefined): object {
  return { asked: client ?? null, rulesOf: client === undefined ? newestClient : rulesVersion(client) };
}

function* fullPieces(request: object, session: Session, messages: readonly unknown[]): Generator<string> {
  yield '{\n';
  const fields = { ...request, compactsFirst: autoCompactionOf(session) ?? null };
  for (const [name, value] of Object.entries(fields)) yield `${jsonText(name)}:${jsonText(value)},\n`;
  yield '"messages":';
  for (const piece of pieces(messages)) yield piece === '\n]\n' ? '\n]}\n' : piece;
}

function clientHostOf(input: CommandInput): ClientHost {
  const named = textFlag(input.flags, 'host');
  if (named === 'anthropic' || named === 'gateway') return named;
  if (named !== undefined) {
    throw new UserError(`--host takes anthropic or gateway, not "${named}"`, 'for example --host gateway');
  }
  const places = [input.io.env, ...rootsOf(input).map(envInSettings)];
  return places.some((env) => hostOf(env) === 'gateway') ? 'gateway' : 'anthropic';
}

/** Settings may set environment variables of the client. A file that cannot be read sets none. */
function envInSettings(root: string): Readonly<Record<string, string>> {
  try {
    const settings = asObject(parseJson(readRegularText(path.join(root, 'settings.json')).replace(/^\uFEFF/, '')));
    const variables = Object.entries(asObject(settings?.env) ?? {});
    return Object.fromEntries(variables.flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])));
  } catch {
    return {};
  }
}
