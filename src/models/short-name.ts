// A model's name → the name that a list shows: `claude-opus-4-5-20251101` → `Opus 4.5`.
import { plainModelName, withoutModelDate } from './facts.ts';

/** Names of other forms are shown as they are, without the date. */
export function shortModelName(model: string): string {
  const name = withoutModelDate(plainModelName(model));
  const [, line = '', major = '', minor] =
    /^claude-([a-z]+)-(\d+)(?:-(\d{1,2}))?$/.exec(name) ??
    swapped(/^claude-(\d+)(?:-(\d{1,2}))?-([a-z]+)$/.exec(name)) ??
    [];
  if (line === '') return name;
  return `${line.slice(0, 1).toUpperCase()}${line.slice(1)} ${minor === undefined ? major : `${major}.${minor}`}`;
}

/** Before Claude 4 the number came first: `claude-3-5-haiku`. */
function swapped(match: readonly (string | undefined)[] | null): readonly (string | undefined)[] | undefined {
  return match === null ? undefined : [match[0], match[3], match[1], match[2]];
}
