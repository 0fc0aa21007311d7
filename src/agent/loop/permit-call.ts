// Decides whether a tool call may run: checks the input, then hooks, then rules, then asks the user. A deny rule wins
// over a hook that allows.
import type { JsonObject } from '../../base/json/index.ts';
import {
  type Confinement,
  failedOutcome,
  findTool,
  type HookVerdict,
  type Tool,
  type ToolCallView,
  type ToolOutcome,
  type Workspace,
} from '../contract/index.ts';
import type { OpenCall } from './answer.ts';
import type { AgentContext } from './context.ts';

type PermitContext = Pick<AgentContext, 'tools' | 'hooks' | 'judge' | 'approve' | 'mode' | 'mark'> & {
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
    }
  | {
      readonly kind: 'refused';
      readonly refused: 'permission' | 'hook' | 'interrupted' | 'input';
      readonly outcome: ToolOutcome;
      /** The user refused and wants to say something else: the turn ends. */
      readonly isInterrupt: boolean;
    }
  /** A hook said `continue: false`. */
  | { readonly kind: 'stop'; readonly outcome: ToolOutcome; readonly reason: string };

export const interruptedText = '[Request interrupted by user for tool use]';

export async function permitCall(call: OpenCall, context: PermitContext, signal: AbortSignal): Promise<Permit> {
  const { view } = call;
  const tool = findTool(context.tools(), view.name);
  if (tool === undefined) return unusable(`Error: No such tool available: ${view.name}`);
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
  const { confinement, isApproved } = judged;
  return { kind: 'run', tool, view: { ...view, input: chosen.input }, notes: verdict.context, confinement, isApproved };
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

interface Allowed extends Pick<Permit & { readonly kind: 'run' }, 'confinement' | 'isApproved'> {
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
  if (permission?.decision === 'allow' || (decision.kind === 'allow' && !hookAsks))
    return { kind: 'allowed', confinement, isApproved: decision.kind !== 'allow' };
  const approval = await context.approve({
    call: view,
    why: hookAsks ? permission.reason : decision.why,
    always: decision.kind === 'ask' ? decision.always : [],
    ...(context.mark === undefined ? {} : { agentId: context.mark.agentId }),
    signal,
  });
  if (signal.aborted) return interrupted();
  if (approval.kind === 'deny') return { ...refuse('permission', approval.message), isInterrupt: approval.isInterrupt };
  if (approval.always !== undefined) await context.judge.addRule(approval.always);
  return {
    kind: 'allowed',
    confinement,
    isApproved: true,
    ...(approval.input === undefined ? {} : { input: approval.input }),
  };
}

function refuse(refused: 'permission' | 'hook', why: string): Refusal {
  return { kind: 'refused', refused, outcome: failedOutcome(why), isInterrupt: false };
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

function problemText(problem: string): string {
  return problem.startsWith('Error: ') ? problem : `Error: ${problem}`;
}
