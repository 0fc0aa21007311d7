// How freely the agent may act. The names are Claude Code's: they stand in settings, in flags and in sessions.
/** The names of the permission modes. */
export const permissionModes = ['default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions'] as const;
/** The name of a permission mode. */
export type PermissionMode = (typeof permissionModes)[number];

export function isPermissionMode(value: unknown): value is PermissionMode {
  return permissionModes.some((mode) => mode === value);
}
