// Rewrites a staged session in the safe writer profile, and proves that it still sends the same messages.
import { rm } from 'node:fs/promises';
import { exitCodes, UserError } from '../../base/errors/index.ts';
import { countReachable } from '../../session/facts/index.ts';
import { loadSession, type Session } from '../../session/load/index.ts';
import { texts } from '../../session/resume/client/index.ts';
import { normalise, textBlock } from '../../session/resume/messages/index.ts';
import { requestMessages } from '../../session/resume/request/index.ts';
import { writeNewFile } from '../../store/index.ts';
import { digestOf, lookAtResume } from '../request/index.ts';
import { type Dropped, mainFile, type StagedSession } from './plan.ts';
import { makePortable, type PortableSession } from './portable.ts';
import { withSpokenNotes } from './spoken-notes.ts';
import { type Proved, stagedPath } from './stage.ts';

export interface StagedPortable {
  readonly session: Session;
  readonly dropped: readonly Dropped[];
  readonly changed: number;
  /** Whether it sends the same, except for reminders and line breaks between joined lines. */
  readonly sendsSame: boolean;
}

export async function stagePortable(staged: StagedSession, folder: string): Promise<StagedPortable> {
  const portable = makePortable(staged.session);
  if ('refused' in portable)
    throw new UserError(
      `the session cannot be made portable: ${portable.refused}`,
      'leave out --portable',
      exitCodes.failed,
    );
  const file = stagedPath(folder, mainFile(staged.planned).name);
  const origins = originLines(staged);
  // Computed first, because the staged session reads its lines from the file that is replaced here.
  const before = joinedDigest(withSpokenNotes(staged.session));
  await rm(file);
  await writeNewFile(file, entryBytes(portable));
  const session = await loadSession(file);
  return {
    session,
    sendsSame: joinedDigest(session) === before,
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
    broken: [
      ...proved.broken,
      ...(portable.sendsSame ? [] : ['the portable session would not send the same messages']),
    ],
  };
}

/** Ignores what clients do differently when they join lines. */
function joinedDigest(session: Session): string {
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

/** By line of the staged transcript: its line in the source. */
function originLines(staged: StagedSession): readonly (number | undefined)[] {
  return (staged.origins.get(mainFile(staged.planned).name) ?? []).map(({ origin }) => origin?.line);
}
