// Decides whether a tool call may run: checks the input, then hooks, then rules, then asks the user. A deny rule and an
// ask rule win over a hook that allows.
import type { JsonObject } from '../../base/json/index.ts';
import {
  type Approval,
  type Confinement,
  failedOutcome,
  findTool,
  type HookVerdict,
  type PermissionFact,
  type PermissionMode,
  type RuleOffer,
  readPermissionUpdates,
  type Tool,
  type ToolCallView,
  type ToolOutcome,
  type Workspace,
} from '../contract/index.ts';
import type { OpenCall } from './answer.ts';
import type { AgentContext } from './context.ts';

type PermitContext = Pick<
  AgentContext,
  'tools' | 'hooks' | 'judge' | 'approve' | 'mode' | 'mark' | 'updatePermissions'
> & {
  readonly workspace: () => Pick<Workspace, 'cwd'>;
};

export type Permit =
  | {
      readonly kind: 'run';
      readonly tool: Tool;
      readonly view: ToolCallView;
      readonly notes: readonly string[];
      readonly confinement: Confinement;
      /** The user or a hook allowed it, not the rules. */
      readonly isApproved: boolean;
      readonly permission: PermissionFact;
    }
  | {
      readonly kind: 'refused';
      readonly refused: 'permission' | 'hook' | 'interrupted' | 'input';
      readonly outcome: ToolOutcome;
      /** The user refused and wants to say something else: the turn ends. */
      readonly isInterrupt: boolean;
      readonly permission?: PermissionFact;
    }
  /** A hook said `continue: false`. */
  | { readonly kind: 'stop'; readonly outcome: ToolOutcome; readonly reason: string };

export const interruptedText = '[Request interrupted by user for tool use]';

export async function permitCall(call: OpenCall, context: PermitContext, signal: AbortSignal): Promise<Permit> {
  const { view } = call;
  const tool = findTool(context.tools(), view.name);
  if (tool === undefined) return unusable(describeUnknown(view.name, context.tools()));
  if (call.inputProblem !== undefined) return unusable(call.inputProblem);
  const parsed = tool.parse(view.input);
  if ('problem' in parsed) return unusable(`InputValidationError: ${parsed.problem}`);
  const verdict = await askHooks(view, parsed.input, context, signal);
  if (signal.aborted) return interrupted();
  if (verdict.stop !== undefined) return { kind: 'stop', outcome: failedOutcome(verdict.stop), reason: verdict.stop };
  if (verdict.blocked !== undefined) return refuse('hook', verdict.blocked);
  if (verdict.permission?.decision === 'deny') return refuse('hook', verdict.permission.reason);
  const updated = verdict.updatedInput === undefined ? parsed : tool.parse(verdict.updatedInput);
  if ('problem' in updated)
    return refuse('hook', `A hook changed the input, and it no longer fits: ${updated.problem}`);
  const judged = await judgeCall({ ...view, input: updated.input }, tool, verdict, context, signal);
  if (judged.kind !== 'allowed') return judged;
  const chosen = judged.input === undefined ? updated : tool.parse(judged.input);
  if ('problem' in chosen) return unusable(`InputValidationError: ${chosen.problem}`);
  const { confinement, isApproved, permission } = judged;
  const notes = verdict.context;
  return { kind: 'run', tool, view: { ...view, input: chosen.input }, notes, confinement, isApproved, permission };
}

export function interrupted(): Permit & { readonly kind: 'refused' } {
  return { kind: 'refused', refused: 'interrupted', outcome: failedOutcome(interruptedText), isInterrupt: false };
}

/** Input of PreToolUse and PostToolUse hooks. */
export function callFields(view: ToolCallView): JsonObject {
  return { tool_name: view.name, tool_input: view.input, tool_use_id: view.id };
}

function askHooks(
  view: ToolCallView,
  input: JsonObject,
  context: PermitContext,
  signal: AbortSignal,
): Promise<HookVerdict> {
  return context.hooks.run('PreToolUse', view.name, callFields({ ...view, input }), signal);
}

type Refusal = Extract<Permit, { readonly kind: 'refused' }>;

interface Allowed extends Pick<Permit & { readonly kind: 'run' }, 'confinement' | 'isApproved' | 'permission'> {
  readonly kind: 'allowed';
  readonly input?: JsonObject;
}

async function judgeCall(
  view: ToolCallView,
  tool: Tool,
  { permission }: HookVerdict,
  context: PermitContext,
  signal: AbortSignal,
): Promise<Refusal | Allowed> {
  const where = { mode: context.mode(), cwd: context.workspace().cwd, isReadOnly: tool.isReadOnly(view.input) };
  const decision = context.judge.judge(view, where);
  if (decision.kind === 'deny') return refuse('permission', decision.why);
  const { confinement = 'open' } = decision;
  const hookAsks = permission?.decision === 'ask';
  const hookAllows = permission?.decision === 'allow' && !(decision.kind === 'ask' && decision.isByRule === true);
  if (hookAllows || (decision.kind === 'allow' && !hookAsks))
    return {
      kind: 'allowed',
      confinement,
      isApproved: decision.kind !== 'allow',
      permission: hookAllows ? byHook('accept') : byConfig('accept', where.mode),
    };
  const always = decision.kind === 'ask' ? decision.always : [];
  const answered = await answerOfHook(view, always, context, signal);
  if (signal.aborted) return interrupted();
  const approval =
    answered ??
    (await context.approve({
      call: view,
      why: hookAsks ? permission.reason : decision.why,
      always,
      ...(hookAsks ? { isAskedByHook: true } : {}),
      ...(context.mark === undefined ? {} : { agentId: context.mark.agentId }),
      signal,
    }));
  if (signal.aborted) return interrupted();
  if (approval.kind === 'deny') {
    const { message, isInterrupt, isAutomatic } = approval;
    const by: PermissionFact = { decision: 'reject', source: isAutomatic === true ? 'config' : 'user_reject' };
    const permission = answered === undefined ? by : byHook('reject');
    return { ...refuse('permission', message), isInterrupt, permission };
  }
  // The user may change the input to anything; what a hook changed is judged again.
  if (answered?.kind === 'allow' && answered.input !== undefined) {
    const again = context.judge.judge({ ...view, input: answered.input }, where);
    if (again.kind === 'deny') return refuse('permission', again.why);
  }
  if (approval.always !== undefined) await context.judge.addRule(approval.always);
  if (approval.updates !== undefined) await context.updatePermissions(approval.updates);
  return {
    kind: 'allowed',
    confinement,
    isApproved: true,
    permission: answered !== undefined ? byHook('accept') : byUser(approval.always),
    ...(approval.input === undefined ? {} : { input: approval.input }),
  };
}

/** A PermissionRequest hook may answer in place of the user. */
async function answerOfHook(
  view: ToolCallView,
  always: readonly RuleOffer[],
  { hooks }: PermitContext,
  signal: AbortSignal,
): Promise<Approval | undefined> {
  const { tool_use_id: _, ...fields } = callFields(view);
  const suggestions = always.map(({ rule, scope }) => suggestionOf(rule, scope));
  const asked = { ...fields, ...(suggestions.length === 0 ? {} : { permission_suggestions: suggestions }) };
  const { request, stop } = await hooks.run('PermissionRequest', view.name, asked, signal);
  if (stop !== undefined) return { kind: 'deny', message: stop, isInterrupt: true };
  if (request === undefined) return undefined;
  if (request.behavior === 'deny') {
    const { message = 'A hook denied the permission', isInterrupt } = request;
    return { kind: 'deny', message, isInterrupt };
  }
  const updates = readPermissionUpdates(request.updatedPermissions ?? [], false);
  return {
    kind: 'allow',
    ...(request.updatedInput === undefined ? {} : { input: request.updatedInput }),
    ...(updates === undefined ? {} : { updates }),
  };
}

/** As the Agent SDK writes a rule. */
function suggestionOf(rule: string, scope: RuleOffer['scope']): JsonObject {
  const [, toolName = rule, ruleContent] = /^([^(]+)\(([\s\S]*)\)$/.exec(rule) ?? [];
  return {
    type: 'addRules',
    rules: [{ toolName, ...(ruleContent === undefined ? {} : { ruleContent }) }],
    behavior: 'allow',
    destination: scope === 'local' ? 'localSettings' : 'session',
  };
}

function refuse(refused: 'permission' | 'hook', why: string): Refusal {
  const permission = refused === 'hook' ? byHook('reject') : byConfig('reject');
  return { kind: 'refused', refused, outcome: failedOutcome(why), isInterrupt: false, permission };
}

function byHook(decision: PermissionFact['decision']): PermissionFact {
  return { decision, source: 'hook', reasonType: 'hook' };
}

/** A rule or the mode. */
function byConfig(decision: PermissionFact['decision'], mode?: PermissionMode): PermissionFact {
  return { decision, source: 'config', ...(mode === 'bypassPermissions' ? { reasonType: 'mode' as const } : {}) };
}

function byUser(always: RuleOffer | undefined): PermissionFact {
  if (always?.scope === 'local') return { decision: 'accept', source: 'user_permanent' };
  return { decision: 'accept', source: 'user_temporary', grantScope: always === undefined ? 'once' : 'session' };
}

/** Models know these tags: the call was wrong, not the work of the tool. */
function unusable(problem: string): Refusal {
  const outcome = {
    content: `<tool_use_error>${problem}</tool_use_error>`,
    isError: true,
    stored: problemText(problem),
  };
  return { kind: 'refused', refused: 'input', outcome, isInterrupt: false };
}

function describeUnknown(name: string, tools: readonly Tool[]): string {
  const similar = tools.find((tool) => tool.name.toLowerCase() === name.toLowerCase());
  const hint = similar === undefined ? '' : `. The names are case-sensitive: call ${similar.name}`;
  return `Error: No such tool available: ${name}${hint}`;
}

/** As the client stores it. */
function problemText(problem: string): string {
  return /^(?:InputValidation)?Error: /.test(problem) ? problem : `Error: ${problem}`;
}
