// A session with thinking that the API would refuse → the plan that appends the client's own mark: from then on no thinking
// before it is sent. Nothing else changes, so the blocks stay readable.
import { randomUUID } from 'node:crypto';
import type { JsonObject } from '../../base/json/index.ts';
import { resumeLines } from '../../session/resume/request/index.ts';
import { type Plan, type Source, sameSession } from '../../surgery/engine/index.ts';
import { lookAtResume } from '../../surgery/request/index.ts';
import type { Diagnosis } from '../diagnosis/index.ts';

/** Plans the mark. Returns `undefined` where no thinking is refused, or there is nothing to hang the mark on. */
export function planMark(source: Source, { findings }: Pick<Diagnosis, 'findings'>): Plan | undefined {
  const { session } = source;
  const { transcript } = session;
  const isNeeded = findings.some(({ code }) => code === 'A-thinking-bound' || code === 'A-thinking-hole');
  const resumed = resumeLines(transcript);
  const leaf = 'refused' in resumed ? undefined : resumed.lines.findLast(({ uuid }) => uuid !== undefined);
  const last = transcript.nodes.at(-1);
  if (!isNeeded || leaf?.uuid === undefined || last === undefined) return undefined;
  const { cwd, version, gitBranch, userType } = transcript.read(leaf);
  const uuid = randomUUID();
  const time = transcript.nodes.reduce((newest, node) => (node.time > newest ? node.time : newest), 0);
  const mark = {
    parentUuid: leaf.uuid,
    isSidechain: false,
    userType: userType ?? 'external',
    cwd,
    sessionId: session.id,
    version,
    gitBranch,
    type: 'attachment',
    attachment: { type: 'thinking_stripped', scope: 'all' },
    uuid,
    timestamp: new Date(time + 1).toISOString(),
  };
  const entries = [withoutAbsent(mark), { type: 'last-prompt', leafUuid: uuid, sessionId: session.id }];
  const rewrites = new Map([[transcript.path, { inserts: new Map([[last.index, entries]]) }]]);
  return {
    operation: 'fix',
    words: ['--mark'],
    sources: [{ sessionId: session.id, path: session.files.main }],
    results: [sameSession(source, { rewrites })],
    dropped: [],
    notes: [
      `${lookAtResume(session).thinking} thinking blocks stay readable in the file and are no longer sent; clients before 2.1.260 do not know the mark`,
    ],
    expects: ({ session: result }) => {
      const { thinking } = lookAtResume(result);
      return thinking === 0 ? [] : [`a resume would still send ${thinking} thinking blocks`];
    },
  };
}

function withoutAbsent(entry: Record<string, JsonObject[string] | undefined>): JsonObject {
  return Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== undefined));
}
