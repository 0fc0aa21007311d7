// How a command is confined: the permission judge decides it, the sandbox builds it, the tools run with it.

/** The names of the permission modes. */
export const permissionModes = ['default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions'] as const;
/** The name of a permission mode. */
export type PermissionMode = (typeof permissionModes)[number];

export function isPermissionMode(value: unknown): value is PermissionMode {
  return permissionModes.some((mode) => mode === value);
}

/** `read-only`: it changes nothing and reads the project. `workspace`: it may also change the project. `open`: it runs as
 *  the user's own command; only files that a rule denies stay hidden. */
export type Confinement = 'read-only' | 'workspace' | 'open';

/** Which files a command may not see or change. Paths are absolute. */
export interface PathPolicy {
  /** May not be read: a rule denies it, or it may hold credentials. */
  isHidden(file: string): boolean;
  /** A rule denies reading it. This holds in every confinement. */
  isDenied(file: string): boolean;
  /** Whether a rule may deny files of the project at any depth. */
  deniesInProject(): boolean;
  /** May not be changed or created. */
  isGuarded(file: string): boolean;
  /** Files and folders outside the project that rules deny by name. */
  deniedElsewhere(): readonly string[];
  /** Changes when a rule is added. */
  version(): number;
}

export interface Launch {
  /** May be stricter than requested. */
  readonly confinement: Confinement;
  /** Precedes the program and its arguments; empty if nothing confines it. */
  readonly prefix: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** Called after the command. Renames files that it was not allowed to create, and returns one sentence for each. */
  finish(): readonly string[];
}

export interface Sandbox {
  readonly mechanism: 'bubblewrap' | 'seatbelt' | 'none';
  launch(confinement: Confinement, place: LaunchPlace): Launch;
  /** Absolute paths below `folder` that may not be read. */
  hiddenBelow(folder: string): readonly string[];
}

export interface LaunchPlace {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** The user approved this command; no rule alone did. */
  readonly isApproved?: boolean;
  /** Readable although it is outside the project: the agent's own stored results. */
  readonly sessionDir: string;
}
