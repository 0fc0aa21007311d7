// A staged session → the same one in the safe writer profile, in its place, with the proof that it still sends the same.
import { rm } from 'node:fs/promises';
import { exitCodes, UserError } from '../base/errors.ts';
import { countReachable } from '../session/reachable.ts';
import { texts } from '../session/resume/client.ts';
import { textBlock } from '../session/resume/draft.ts';
import { normalise } from '../session/resume/normalise.ts';
import { requestMessages } from '../session/resume/request.ts';
import { loadSession, type Session } from '../session/session.ts';
import { writeNewFile } from '../store/replace.ts';
import { type Dropped, mainFile, type StagedSession } from './plan.ts';
import { makePortable, type PortableSession } from './portable.ts';
import type { Proved } from './prove.ts';
import { digestOf, lookAtResume } from './resume-look.ts';
import { withSpokenNotes } from './spoken-notes.ts';
import { stagedPath } from './stage.ts';

export interface StagedPortable {
  readonly session: Session;
  readonly dropped: readonly Dropped[];
  readonly changed: number;
  /** Whether it sends what the other form sent, and what attachments say; reminders, and line breaks between joined lines, may differ. */
  readonly sendsSame: boolean;
}

export async function stagePortable(staged: StagedSession, folder: string): Promise<StagedPortable> {
  const portable = makePortable(staged.session);
  if ('refused' in portable)
    throw new UserError(`nothing can be made portable: ${portable.refused}`, 'leave out --portable', exitCodes.failed);
  const file = stagedPath(folder, mainFile(staged.planned).name);
  const origins = originLines(staged);
  // The staged session reads its lines from the file that is replaced here.
  const before = jointlessDigest(withSpokenNotes(staged.session));
  await rm(file);
  await writeNewFile(file, entryBytes(portable));
  const session = await loadSession(file);
  return {
    session,
    sendsSame: jointlessDigest(session) === before,
    changed: portable.lines.length,
    dropped: portable.dropped.flatMap(({ node, reason }) => {
      const line = origins[node.line - 1];
      return line === undefined ? [] : [{ line, ...(node.uuid === undefined ? {} : { uuid: node.uuid }), reason }];
    }),
  };
}

export function provePortable(portable: StagedPortable, proved: Proved): Proved {
  return {
    proof: {
      ...proved.proof,
      reachable: countReachable(portable.session),
      violations: lookAtResume(portable.session).violations,
    },
    changed: portable.changed,
    broken: [...proved.broken, ...(portable.sendsSame ? [] : ['the portable form would not send the same messages'])],
  };
}

/** Of what is sent, without what two clients do differently where lines meet. Texts are joined here, so in full. */
function jointlessDigest(session: Session): string {
  const request = requestMessages(session, undefined, { host: 'gateway' });
  if ('refused' in request) return '';
  const { messages } = request;
  const isOpen = messages.at(-1)?.role === 'user';
  const closed = isOpen ? [...messages, { role: 'assistant', content: [textBlock(texts.noResponse)] }] : messages;
  return digestOf(
    closed
      .flatMap((message) => normalise([message]))
      .map(({ role, content }) => ({
        role,
        content: content.map((block) =>
          block.type === 'text' && typeof block.text === 'string' ? { ...block, text: block.text.trimEnd() } : block,
        ),
      })),
  );
}

function* entryBytes({ lines }: PortableSession): Generator<Buffer> {
  for (const { entry } of lines) yield Buffer.from(`${JSON.stringify(entry)}\n`);
}

/** For each line of the staged transcript, the line of the source it came from. */
function originLines(staged: StagedSession): readonly (number | undefined)[] {
  const { content } = mainFile(staged.planned);
  if (!('lines' in content)) return [];
  const origins: (number | undefined)[] = [];
  for (const { origin } of content.lines()) origins.push(origin?.line);
  return origins;
}
