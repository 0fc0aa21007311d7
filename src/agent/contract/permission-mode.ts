// The permission modes, with Claude Code's names: settings, flags and sessions contain them.
/** The names of the permission modes. */
export const permissionModes = ['default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions'] as const;
/** The name of a permission mode. */
export type PermissionMode = (typeof permissionModes)[number];

export function isPermissionMode(value: unknown): value is PermissionMode {
  return permissionModes.some((mode) => mode === value);
}
