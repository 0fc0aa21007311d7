// A staged session → the same one in the safe writer profile, in its place, with the proof that it still sends the same.
import { rm } from 'node:fs/promises';
import { exitCodes, UserError } from '../base/errors.ts';
import { countReachable } from '../session/reachable.ts';
import { texts } from '../session/resume/client.ts';
import { textBlock } from '../session/resume/draft.ts';
import { type NormalMessage, normalise } from '../session/resume/normalise.ts';
import { type ResumeRequest, requestMessages } from '../session/resume/request.ts';
import { loadSession, type Session } from '../session/session.ts';
import { writeNewFile } from '../store/replace.ts';
import { type Dropped, mainFile, type StagedSession } from './plan.ts';
import { makePortable, type PortableSession } from './portable.ts';
import { type Proved, violationsOf } from './prove.ts';
import { stagedPath } from './stage.ts';

export interface StagedPortable {
  readonly session: Session;
  readonly dropped: readonly Dropped[];
  readonly changed: number;
}

export async function stagePortable(staged: StagedSession, folder: string): Promise<StagedPortable> {
  const portable = makePortable(staged.session);
  if ('refused' in portable)
    throw new UserError(`nothing can be made portable: ${portable.refused}`, 'leave out --portable', exitCodes.failed);
  const file = stagedPath(folder, mainFile(staged.planned).name);
  const origins = originLines(staged);
  await rm(file);
  await writeNewFile(file, entryBytes(portable));
  return {
    session: await loadSession(file),
    changed: portable.lines.length,
    dropped: portable.dropped.flatMap(({ node, reason }) => {
      const line = origins[node.line - 1];
      return line === undefined ? [] : [{ line, ...(node.uuid === undefined ? {} : { uuid: node.uuid }), reason }];
    }),
  };
}

/** The portable form must send what the other one does; reminders, and line breaks between joined lines, may differ. */
export function provePortable(staged: StagedSession, portable: StagedPortable, proved: Proved): Proved {
  const before = requestMessages(staged.session);
  const after = requestMessages(portable.session);
  const isSame = JSON.stringify(withoutJoints(before)) === JSON.stringify(withoutJoints(after));
  return {
    proof: {
      ...proved.proof,
      reachable: countReachable(portable.session),
      violations: violationsOf(portable.session),
    },
    changed: portable.changed,
    broken: [...proved.broken, ...(isSame ? [] : ['the portable form would not send the same messages'])],
  };
}

function withoutJoints(request: ResumeRequest): readonly NormalMessage[] {
  if ('refused' in request) return [];
  const { messages } = request;
  const isOpen = messages.at(-1)?.role === 'user';
  const closed = isOpen ? [...messages, { role: 'assistant', content: [textBlock(texts.noResponse)] }] : messages;
  return normalise(closed).map(({ role, content }) => ({
    role,
    content: content.map((block) =>
      block.type === 'text' && typeof block.text === 'string' ? { ...block, text: block.text.trimEnd() } : block,
    ),
  }));
}

function* entryBytes({ lines }: PortableSession): Generator<Buffer> {
  for (const { entry } of lines) yield Buffer.from(`${JSON.stringify(entry)}\n`);
}

/** For each line of the staged transcript, the line of the source it came from. */
function originLines(staged: StagedSession): readonly (number | undefined)[] {
  const { content } = mainFile(staged.planned);
  if (!('lines' in content)) return [];
  return [...content.lines()].map(({ origin }) => origin?.line);
}
