// The Skill tool, which loads a skill for the model. The instructions are the result of the call, so that a resumed
// session sends exactly what was sent.
import { asString, isObject, type JsonObject, type JsonValue } from '../../base/json/index.ts';
import { type CallContext, failedOutcome, type ParsedInput, type Tool, type ToolOutcome } from '../contract/index.ts';
import { type Command, type CommandTextOptions, fillCommand } from './command.ts';

/** What a call of this skill may run. */
export type OptionsForCall = (skill: Command, context: CallContext) => CommandTextOptions;

/** `undefined` if there are no skills for the model. */
export function makeSkillTool(commands: readonly Command[], optionsFor: OptionsForCall): Tool | undefined {
  const skills = commands.filter((command) => command.isForModel);
  if (skills.length === 0) return undefined;
  return {
    name: 'Skill',
    description:
      'Loads a skill: instructions that somebody wrote for a certain kind of task. The skills are listed in the system ' +
      'prompt with what they are for. When one fits the task, load it before you begin, then follow it.',
    inputSchema: {
      type: 'object',
      properties: {
        skill: { type: 'string', description: 'The name of the skill, as listed.' },
        args: { type: 'string', description: 'What to tell the skill, if it takes arguments.' },
      },
      required: ['skill'],
      additionalProperties: false,
    },
    parse: parseInput,
    isReadOnly: () => true,
    run: (input, context) => runSkill(input, skills, (skill) => optionsFor(skill, context)),
  };
}

/** One line per skill, for the system prompt; `undefined` if there are none. */
export function describeSkills(commands: readonly Command[]): string | undefined {
  const skills = commands.filter((command) => command.isForModel);
  if (skills.length === 0) return undefined;
  return skills.map(({ name, description }) => `- ${name}: ${description.replace(/\s+/g, ' ')}`).join('\n');
}

function parseInput(input: JsonValue | undefined): ParsedInput {
  if (!isObject(input)) return { problem: 'The input must be an object with "skill".' };
  // Old clients called it "command", and their sessions continue here.
  const skill = asString(input.skill) ?? asString(input.command);
  if (skill === undefined || skill.trim() === '') return { problem: '"skill" must be the name of a skill.' };
  if (input.args !== undefined && typeof input.args !== 'string') return { problem: '"args" must be a string.' };
  return {
    input: { skill: skill.trim().replace(/^\//, ''), ...(input.args === undefined ? {} : { args: input.args }) },
  };
}

async function runSkill(
  input: JsonObject,
  skills: readonly Command[],
  optionsFor: (skill: Command) => CommandTextOptions,
): Promise<ToolOutcome> {
  const skill = skills.find(({ name }) => name === input.skill);
  if (skill === undefined)
    return failedOutcome(`There is no skill ${input.skill}. There are: ${skills.map(({ name }) => name).join(', ')}`);
  const { text } = await fillCommand(skill, (asString(input.args) ?? '').trim(), optionsFor(skill));
  return {
    content: `Launching skill: ${skill.name}\n\n${text}`,
    isError: false,
    stored: { success: true, commandName: skill.name },
  };
}
