// Plans what `clew setup --remove` takes back: every part that is recorded, or that has the form that setup writes.
import type { PartOutcome, Plan } from './add.ts';
import { type Place, SetupContent } from './content.ts';
import { type PartName, partNames } from './parts.ts';
import type { RootRecord } from './record.ts';

export interface RemoveOptions {
  readonly place: Place;
  readonly record: RootRecord;
  readonly chosen: ReadonlySet<PartName>;
}

export function planRemove({ place, record, chosen }: RemoveOptions): Plan {
  const content = new SetupContent(place, record);
  const { known } = content;
  const removed = partNames.filter((part) => chosen.has(part) && known[part] !== undefined);
  const goal = Object.fromEntries(
    Object.entries(content.keptParts()).filter(([part]) => !chosen.has(part as PartName)),
  );
  const parts = removed.map((part): PartOutcome => {
    const note = noteFor(part, content, record);
    return { part, state: 'remove', ...(note === undefined ? {} : { note }) };
  });
  return { parts, known, goal, targets: content.targets(goal, Object.keys(known) as PartName[]) };
}

function noteFor(part: PartName, content: SetupContent, record: RootRecord): string | undefined {
  if (part === 'skill') {
    const kept = content.copies().filter(({ file, isOurs }) => !isOurs && record.files[file] !== undefined);
    return kept.length === 0 ? undefined : `${kept.map(({ file }) => file).join(', ')} was changed and stays`;
  }
  if (part === 'mcp' && content.baseServers()?.clew !== undefined)
    return `the server clew in ${content.userConfig} was changed and stays`;
  return undefined;
}
