// Which models Claude Code offers and how it talks to them, as the client of the table showed when it was run. The
// client looks for a name inside the name, so that clouds' names and dates do not matter.

import { resolveModelAlias } from './facts.ts';
import { withoutModelDate } from './model-name.ts';
import type { ModelRow } from './model-row.ts';
import { modelTable } from './model-rows.ts';

/** What Claude Code asks for where nothing names a model. */
export const defaultModel: string = resolveModelAlias('default');

const offered = namesPattern(({ offered: isOffered }) => isOffered, '(?!\\d)', 'i');
const remindedBySystemRole = namesPattern(({ systemRole }) => systemRole, '', '');

/** Whether the client still offers the model a session was made with. */
export function isOffered(model: string): boolean {
  return offered.test(model);
}

/** Models that receive reminders as `role: "system"` messages instead of user texts. */
export function takesSystemRole(model: string): boolean {
  return remindedBySystemRole.test(model);
}

function namesPattern(has: (row: ModelRow) => boolean, end: string, flags: string): RegExp {
  const names = new Set(modelTable.models.filter(has).map(({ id }) => withoutModelDate(id)));
  return new RegExp(`(?:${[...names].join('|')})${end}`, flags);
}
