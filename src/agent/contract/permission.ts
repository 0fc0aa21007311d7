// Permission to run a tool call: what the rules decide, what the user is asked and answers.
import type { JsonObject } from '../../base/json/index.ts';
import type { Confinement, PermissionMode } from './confinement.ts';
import type { ToolCallView } from './event.ts';

/** A rule from settings.json or a flag. The reason of a decision names its `source`. */
export interface RuleText {
  readonly kind: 'allow' | 'ask' | 'deny';
  readonly text: string;
  readonly source: string;
}

export type Decision =
  /** `confinement`: how a command runs; `open` if absent. */
  | { readonly kind: 'allow'; readonly why: string; readonly confinement?: Confinement }
  | { readonly kind: 'deny'; readonly why: string }
  | {
      readonly kind: 'ask';
      readonly why: string;
      /** An ask rule wants it: no hook answers in place of the question. */
      readonly isByRule?: true;
      readonly always: readonly RuleOffer[];
      readonly confinement?: Confinement;
    };

/** A permission rule that would allow a call from now on. */
export interface RuleOffer {
  readonly rule: string;
  readonly scope: 'session' | 'local';
}

/** Where a change of the permissions is kept. `session` and `cliArg` end with the run; the others are settings files. */
export const permissionPlaces = ['session', 'cliArg', 'localSettings', 'projectSettings', 'userSettings'] as const;
/** Where a change of the permissions is kept. */
export type PermissionPlace = (typeof permissionPlaces)[number];

/** A change of the permissions, in the shape of Claude Code's Agent SDK. */
export type PermissionUpdate =
  | {
      readonly type: 'addRules' | 'replaceRules' | 'removeRules';
      readonly rules: readonly { readonly toolName: string; readonly ruleContent?: string }[];
      readonly behavior: 'allow' | 'ask' | 'deny';
      readonly destination: PermissionPlace;
    }
  | { readonly type: 'setMode'; readonly mode: PermissionMode; readonly destination: PermissionPlace }
  | {
      readonly type: 'addDirectories' | 'removeDirectories';
      readonly directories: readonly string[];
      readonly destination: PermissionPlace;
    };

export interface PermissionJudge {
  judge(
    call: ToolCallView,
    where: { readonly mode: PermissionMode; readonly cwd: string; readonly isReadOnly: boolean },
  ): Decision;
  /** Adds the rule of an "always" answer in memory and, for `local`, in `.claude/settings.local.json`. */
  addRule(offer: RuleOffer): Promise<void>;
}

/** Decides whether a tool call may run when the permission rules leave it open. */
export type Approve = (request: {
  readonly call: ToolCallView;
  readonly why: string;
  readonly always: readonly RuleOffer[];
  /** A hook wants the question, not a rule. */
  readonly isAskedByHook?: boolean;
  readonly agentId?: string;
  readonly signal: AbortSignal;
}) => Promise<Approval>;

/** The decision about a tool call. */
export type Approval =
  | {
      readonly kind: 'allow';
      readonly input?: JsonObject;
      readonly always?: RuleOffer;
      /** Applied before the call runs. */
      readonly updates?: readonly PermissionUpdate[];
    }
  | {
      readonly kind: 'deny';
      readonly message: string;
      readonly isInterrupt: boolean;
      /** Nobody was asked. */
      readonly isAutomatic?: true;
    };

export interface RuleChange {
  /** `replace` first removes the rules of the same kind and source; `remove` removes rules with the same text. */
  readonly how: 'add' | 'replace' | 'remove';
  readonly kind: RuleText['kind'];
  readonly texts: readonly string[];
  readonly source: string;
}
