// Permission to run a call, decided by the program that started Clew (`canUseTool` of the Agent SDK) or by a tool of an
// MCP server. Questions and plans of the model go the same way: the answers come back in the input of the call.
import { homedir } from 'node:os';
import path from 'node:path';
import {
  type Approval,
  type Approve,
  type PermissionUpdate,
  type RuleOffer,
  readPermissionUpdates,
  type UserAnswer,
  type UserQuestion,
} from '../../../agent/contract/index.ts';
import { asObject, asString, isArray, isObject, type JsonObject, type JsonValue } from '../../../base/json/index.ts';

/** Sends a request about a call, and resolves to the answer, which is not checked yet. */
export type AskHost = (request: PermissionRequest, signal: AbortSignal) => Promise<JsonObject>;

export interface PermissionRequest {
  readonly toolName: string;
  readonly input: JsonObject;
  readonly callId: string;
  readonly details: JsonObject;
}

export interface PermissionAsker {
  readonly approve: Approve;
  readonly askUser: (question: UserQuestion, signal: AbortSignal) => Promise<UserAnswer | undefined>;
}

export interface AskerOptions {
  readonly ask: AskHost;
  /** The folder of the session. */
  readonly cwd: () => string;
  /** Who answers, for messages: "The canUseTool callback". */
  readonly who: string;
  /** Whether the mode bypassPermissions may be chosen while the agent runs. */
  readonly canBypass: boolean;
  /** Applies the updates of an answer to a question or a plan. */
  readonly update: (updates: readonly PermissionUpdate[]) => Promise<void>;
  /** Ends the turn. */
  readonly interrupt: () => void;
}

export function makePermissionAsker(options: AskerOptions): PermissionAsker {
  const decide = async (request: PermissionRequest, signal: AbortSignal): Promise<Approval> => {
    try {
      return readDecision(await options.ask(request, signal), options);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      return { kind: 'deny', message: `Tool permission request failed: ${why}`, isInterrupt: false, isAutomatic: true };
    }
  };
  return {
    approve: async ({ call, why, always, isAskedByHook, agentId, signal }) => {
      const { id, name } = call;
      const input = withWholePath(call.input, options.cwd());
      const details = {
        ...describeCall(call.input),
        decision_reason: why,
        ...(isAskedByHook ? { decision_reason_type: 'hook' } : {}),
        permission_suggestions: suggestionsOf(name, always),
        ...(agentId === undefined ? {} : { agent_id: agentId }),
      };
      return decide({ toolName: name, input, callId: id, details }, signal);
    },
    askUser: async (question, signal) => {
      // Consent to use something of the project: no callback of the SDK is meant for that.
      if (question.kind === 'consent') return undefined;
      const { toolName, input } = callOf(question);
      const details = { requires_user_interaction: true };
      const decision = await decide({ toolName, input, callId: question.callId ?? '', details }, signal);
      if (decision.kind === 'deny') {
        if (decision.isInterrupt) options.interrupt();
        return { kind: 'declined', message: decision.message };
      }
      if (decision.updates !== undefined) await options.update(decision.updates);
      return answerOf(question, decision.input ?? {}, decision.updates ?? []);
    },
  };
}

function callOf(question: Exclude<UserQuestion, { readonly kind: 'consent' }>) {
  return question.kind === 'plan'
    ? { toolName: 'ExitPlanMode', input: { plan: question.plan } }
    : { toolName: 'AskUserQuestion', input: { questions: question.questions } };
}

function answerOf(
  question: Exclude<UserQuestion, { readonly kind: 'consent' }>,
  input: JsonObject,
  updates: readonly PermissionUpdate[],
): UserAnswer {
  if (question.kind === 'plan') {
    const chosen = updates.findLast((update) => update.type === 'setMode');
    return { kind: 'plan', isApproved: true, ...(chosen === undefined ? {} : { mode: chosen.mode }) };
  }
  const answers = Object.entries(asObject(input.answers) ?? {}).map(([asked, answer]) => [
    asked,
    answerText(answer ?? ''),
  ]);
  if (answers.length === 0) return { kind: 'declined', message: 'The user did not answer the questions.' };
  return { kind: 'answers', answers: Object.fromEntries(answers) };
}

function answerText(answer: JsonValue): string {
  return isArray(answer)
    ? answer.map(answerText).join(', ')
    : typeof answer === 'string'
      ? answer
      : JSON.stringify(answer);
}

/** A callback that compares paths gets the one that the tool will use. */
function withWholePath(input: JsonObject, cwd: string): JsonObject {
  const whole = (['file_path', 'notebook_path'] as const).flatMap((name) => {
    const file = input[name];
    if (typeof file !== 'string' || file === '') return [];
    return [[name, path.resolve(cwd, file.replace(/^~(?=\/|$)/, homedir()))] as const];
  });
  return whole.length === 0 ? input : { ...input, ...Object.fromEntries(whole) };
}

/** The short line under the name of the tool. */
function describeCall(input: JsonObject): JsonObject {
  const text = [input.description, input.file_path, input.command, input.url, input.pattern]
    .map(asString)
    .find((each) => each !== undefined);
  return text === undefined ? {} : { description: text.slice(0, 200).toWellFormed() };
}

const editors: ReadonlySet<string> = new Set(['Edit', 'Write', 'NotebookEdit']);

/** What "always allow" would change, in the words of the protocol. */
function suggestionsOf(toolName: string, always: readonly RuleOffer[]): readonly JsonObject[] {
  const offered = always.findLast(({ rule }) => rule !== '');
  const rules = offered?.rule.split(/ and (?=[A-Za-z_]\w*(?:\(|$))/).flatMap(splitRule) ?? [];
  const destination = offered?.scope === 'local' ? 'localSettings' : 'session';
  return [
    ...(rules.length === 0 ? [] : [{ type: 'addRules', rules, behavior: 'allow', destination }]),
    ...(editors.has(toolName) ? [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }] : []),
  ];
}

function splitRule(rule: string): readonly JsonObject[] {
  const [, toolName, ruleContent] = /^([A-Za-z_][\w-]*)(?:\(([\s\S]*)\))?$/.exec(rule) ?? [];
  if (toolName === undefined) return [];
  return [{ toolName, ...(ruleContent === undefined ? {} : { ruleContent }) }];
}

function readDecision(answer: JsonObject, { who, canBypass }: AskerOptions): Approval {
  const decision = readAnswer(answer, canBypass);
  if (decision !== undefined) return decision;
  const expected = "{behavior: 'allow', updatedInput?: object} or {behavior: 'deny', message: string}";
  return {
    kind: 'deny',
    message: `${who} returned an invalid permission result. Expected ${expected}.`,
    isInterrupt: false,
    isAutomatic: true,
  };
}

function readAnswer(answer: JsonObject, canBypass: boolean): Approval | undefined {
  if (answer.behavior === 'deny') {
    const message = asString(answer.message);
    if (message === undefined) return undefined;
    return { kind: 'deny', message: message.toWellFormed(), isInterrupt: answer.interrupt === true };
  }
  const { behavior, updatedInput: input, updatedPermissions } = answer;
  if (behavior !== 'allow' || (input !== undefined && input !== null && !isObject(input))) return undefined;
  const updates = readPermissionUpdates(updatedPermissions ?? [], canBypass);
  if (updates === undefined) return undefined;
  return {
    kind: 'allow',
    ...(isObject(input) ? { input } : {}),
    ...(updates.length === 0 ? {} : { updates }),
  };
}
