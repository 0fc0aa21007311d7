// The agents of the command line or of a program, as JSON → definitions. A field that Clew cannot honour is an error:
// an agent without the limits it was given would do more than it should.
import { UserError } from '../../base/errors/index.ts';
import { asString, isArray, isObject, type JsonObject, type JsonValue } from '../../base/json/index.ts';
import type { AgentDefinition } from './agent-definition.ts';

const known: ReadonlySet<string> = new Set(
  'description prompt tools disallowedTools model maxTurns background omitClaudeMd'.split(' '),
);
/** Fields of the Agent SDK that Clew does not have. */
const unsupported: ReadonlySet<string> = new Set(
  (
    'mcpServers criticalSystemReminder_EXPERIMENTAL skills initialPrompt autoCompactWindow memory effort ' +
    'permissionMode observer observerMessage'
  ).split(' '),
);

export function readGivenAgents(agents: JsonObject): readonly AgentDefinition[] {
  return Object.entries(agents).map(([name, value]) => readAgent(name, value));
}

function readAgent(name: string, value: JsonValue | undefined): AgentDefinition {
  if (!/^[\p{L}\p{N}_][\p{L}\p{N}_ :-]{0,99}$/u.test(name)) throw refusal(name, 'has no usable name');
  if (!isObject(value)) throw refusal(name, 'is not an object');
  const fields = Object.keys(value).filter((field) => value[field] !== undefined && value[field] !== null);
  const refused = fields.filter((field) => unsupported.has(field) && !known.has(field));
  if (refused.length > 0)
    throw new UserError(`the agent "${name}" has ${refused.join(', ')}, which Clew does not support`, 'leave it out');
  const description = textField(name, value, 'description');
  const prompt = textField(name, value, 'prompt');
  const tools = listField(name, value, 'tools');
  const disallowedTools = listField(name, value, 'disallowedTools');
  const { model, maxTurns, background } = value;
  if (maxTurns !== undefined && !(typeof maxTurns === 'number' && Number.isSafeInteger(maxTurns) && maxTurns > 0))
    throw refusal(name, 'has a "maxTurns" that is not a number of turns');
  if (model !== undefined && typeof model !== 'string') throw refusal(name, 'has a "model" that is not a text');
  return {
    name,
    description: description.slice(0, 4000).toWellFormed(),
    scope: 'flag',
    prompt: prompt.trim().toWellFormed(),
    ...(tools === undefined || tools.includes('*') ? {} : { tools }),
    ...(disallowedTools === undefined ? {} : { disallowedTools }),
    ...(model === undefined || model === 'inherit' ? {} : { model }),
    ...(maxTurns === undefined ? {} : { maxTurns }),
    ...(background === true ? { isBackground: true } : {}),
  };
}

function textField(name: string, value: JsonObject, field: string): string {
  const text = asString(value[field]);
  if (text === undefined) throw refusal(name, `has no "${field}"`);
  return text;
}

function listField(name: string, value: JsonObject, field: string): readonly string[] | undefined {
  const list = value[field];
  if (list === undefined || list === null) return undefined;
  if (!isArray(list) || !list.every((each) => typeof each === 'string'))
    throw refusal(name, `has "${field}" that is not a list of texts`);
  return list.filter((each) => typeof each === 'string');
}

function refusal(name: string, problem: string): UserError {
  return new UserError(
    `the agent "${name}" ${problem}`,
    'write {"NAME": {"description": "…", "prompt": "…", "tools": ["Read"]}}',
  );
}
