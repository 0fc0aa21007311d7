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
      readonly always: readonly RuleOffer[];
      readonly confinement?: Confinement;
    };

/** A permission rule that would allow a call from now on. */
export interface RuleOffer {
  readonly rule: string;
  readonly scope: 'session' | 'local';
}

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
  readonly agentId?: string;
  readonly signal: AbortSignal;
}) => Promise<Approval>;

/** The decision about a tool call. */
export type Approval =
  | { readonly kind: 'allow'; readonly input?: JsonObject; readonly always?: RuleOffer }
  | { readonly kind: 'deny'; readonly message: string; readonly isInterrupt: boolean };
