// Rewrites a staged session in the safe writer profile, and proves that it still sends the same messages.
import { createHash } from 'node:crypto';
import { rename } from 'node:fs/promises';
import { exitCodes, UserError } from '../../base/errors/index.ts';
import { countReachable } from '../../session/facts/index.ts';
import { loadSession, type Session } from '../../session/load/index.ts';
import { texts } from '../../session/resume/client/index.ts';
import { normalise, textBlock, type WireMessage } from '../../session/resume/messages/index.ts';
import { writeNewFile } from '../../store/index.ts';
import { lookAtResume, sentMessages } from '../request/index.ts';
import { type Dropped, mainFile, type StagedSession } from './plan.ts';
import { makePortable, type PortableLine } from './portable.ts';
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
  const written = `${file}.portable`;
  const before = new JoinedDigest();
  let changed = 0;
  function* entryBytes(lines: Iterable<PortableLine>): Generator<Buffer> {
    for (const { entry } of lines) {
      changed++;
      yield Buffer.from(`${JSON.stringify(entry)}\n`);
    }
  }
  // The staged session reads its lines from the file that is replaced afterwards.
  await writeNewFile(written, entryBytes(portable.lines((message) => before.add(message))));
  const dropped = portable.dropped();
  await rename(written, file);
  const session = await loadSession(file);
  return {
    session,
    sendsSame: joinedDigestOf(session) === before.finish(),
    changed,
    dropped: dropped.flatMap(({ node, reason }) => {
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

function joinedDigestOf(session: Session): string {
  const sent = sentMessages(session, { host: 'gateway' });
  if ('refused' in sent) return '';
  const digest = new JoinedDigest();
  for (const message of sent.lean) digest.add(sent.complete(message));
  return digest.finish();
}

/** Of messages; ignores what clients do differently when they join lines. */
class JoinedDigest {
  readonly #hash = createHash('sha256');
  #isOpen = false;

  add(message: WireMessage): void {
    this.#isOpen = message.role === 'user';
    for (const { role, content } of normalise([message])) {
      const blocks = content.map((block) =>
        block.type === 'text' && typeof block.text === 'string' ? { ...block, text: block.text.trimEnd() } : block,
      );
      this.#hash.update(`${JSON.stringify({ role, content: blocks })}\n`);
    }
  }

  finish(): string {
    if (this.#isOpen) this.add({ role: 'assistant', content: [textBlock(texts.noResponse)] });
    return this.#hash.digest('hex');
  }
}

/** By line of the staged transcript: its line in the source. */
function originLines(staged: StagedSession): readonly (number | undefined)[] {
  return (staged.origins.get(mainFile(staged.planned).name) ?? []).map(({ origin }) => origin?.line);
}
