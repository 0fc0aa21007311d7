// The side files of the second session that a graft copies: the sub-agents of its own turns, and the outputs in its side
// folder. Files of the first with the same name win.
import { readFileSync } from 'node:fs';
import { asObject, asString, type JsonObject, parseJson } from '../../base/json/json.ts';
import { type Edit, editJson } from '../../format/bytes/edit.ts';
import { callsOf, type Node } from '../../session/transcript/node.ts';
import { originEdits, sessionIdEdits } from '../engine/ids.ts';
import { nameFor } from '../engine/new-session.ts';
import type { FileSource, PlannedFile, PlannedSession } from '../engine/plan.ts';
import { rewriteLines } from '../engine/rewrite.ts';
import type { Source, SourceFile } from '../engine/source.ts';
import type { SecondIds } from './graft-ids.ts';

export function agentsOfSecond(
  second: Source,
  base: PlannedSession,
  nodes: readonly Node[],
  ids: SecondIds,
): readonly PlannedFile[] {
  const { session, files } = second;
  const started = new Set(nodes.flatMap(callsOf).map((call) => call.id));
  const agents = session.agents.flatMap(({ path, toolUseId }) =>
    path !== undefined && toolUseId !== undefined && started.has(toolUseId) ? [path.replace(/\.jsonl$/, '')] : [],
  );
  const taken = new Set(base.files.map(({ name }) => name));
  return files.slice(1).flatMap((file) => {
    const isWanted = file.name.includes('/tool-results/') || agents.some((agent) => file.path.startsWith(`${agent}.`));
    const name = nameFor(file.name, session.id, base.sessionId);
    return isWanted && !taken.has(name)
      ? [{ name, content: copiedContent(file, { sessionId: base.sessionId, origin: session.id }, ids) }]
      : [];
  });
}

function copiedContent(
  file: SourceFile,
  { sessionId, origin }: { sessionId: string; origin: string },
  ids: SecondIds,
): FileSource {
  const { transcript } = file;
  if (transcript !== undefined) {
    const originOf = originEdits(origin, [transcript]);
    const renames = (entry: JsonObject): readonly Edit[] => [...sessionIdEdits(entry, sessionId), ...originOf(entry)];
    return { lines: () => rewriteLines(transcript, { renames }) };
  }
  if (!file.name.endsWith('.meta.json')) return { copyOf: file.path };
  const bytes = readFileSync(file.path);
  const call = asString(asObject(parseJson(bytes.toString('utf8')))?.toolUseId);
  if (call === undefined || ids.callOf(call) === call) return { copyOf: file.path };
  return { bytes: editJson(bytes, [{ path: ['toolUseId'], set: ids.callOf(call) }]) };
}
