// The models Claude Code offers and how it talks to them, as observed. The client searches for a part of the name, so
// the names of clouds and dates do not matter.

import { resolveModelAlias } from './facts.ts';
import { withoutModelDate } from './model-name.ts';
import type { ModelRow } from './model-row.ts';
import { modelTable } from './model-rows.ts';

/** The default model of Claude Code. */
export const defaultModel: string = resolveModelAlias('default');

const offered = namesPattern(({ offered: isOffered }) => isOffered, '(?!\\d)', 'i');
const remindedBySystemRole = namesPattern(({ systemRole }) => systemRole, '', '');

/** Whether the client still offers the model of a session. */
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
