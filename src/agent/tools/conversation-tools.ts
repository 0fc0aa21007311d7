// The Agent tool: starts a sub-agent with its own conversation and returns its last answer.
import * as z from 'zod';
import type { JsonObject } from '../../base/json/index.ts';
import type { Todo, Tool } from '../contract/index.ts';
import { defineTool, ToolFailure } from './shared/index.ts';

export interface AgentType {
  readonly name: string;
  readonly description: string;
}

export function makeAgentTool(types: readonly AgentType[]): Tool {
  const names = types.map(({ name }) => name);
  const usual = names.includes('general-purpose') ? 'general-purpose' : (names[0] ?? '');
  return defineTool({
    name: 'Agent',
    description: [
      'Starts a sub-agent with a conversation of its own for a piece of work that takes several steps, and gives back what it reports.',
      '- It knows nothing of this conversation: the prompt must say everything it needs, and what it should report.',
      '- Its report comes to you, not to the person: tell them what matters. Several calls in one answer run at the same time.',
      'Types:',
      ...types.map(({ name, description }) => `- ${name}: ${description}`),
    ].join('\n'),
    schema: z.object({
      description: z.string().min(1, 'is empty').max(200).describe('The work in three to five words'),
      prompt: z.string().min(1, 'is empty').max(1_000_000, 'is too long').describe('The work, whole'),
      subagent_type: z
        .string()
        .refine((name) => names.includes(name), `is not one of ${names.join(', ')}`)
        .optional()
        .describe(`One of the types above; ${usual} if not given`),
      model: z.string().min(1).max(200).optional().describe('Another model than that of the type'),
      run_in_background: z.boolean().optional().describe('Go on at once; the report comes later'),
    }),
    // As in the client: it has parameters that mean nothing here, such as a name.
    isLoose: true,
    // Each call of the sub-agent is judged separately, so several sub-agents may start at the same time.
    isReadOnly: true,
    run: ({ description, prompt, subagent_type, model, run_in_background }, context) =>
      context.startAgent({
        description,
        prompt,
        type: subagent_type ?? usual,
        ...(model === undefined ? {} : { model }),
        isBackground: run_in_background === true,
      }),
  });
}

const text = z.string().min(1, 'is empty').max(2000, 'is longer than 2000 characters');

const schema = z.object({
  todos: z
    .array(
      z.object({
        content: text.describe('What is to be done'),
        status: z.enum(['pending', 'in_progress', 'completed']),
        activeForm: text.describe('The same as something going on: "Running the tests"'),
      }),
    )
    .max(200, 'has more than 200 items')
    .describe('The whole list; it replaces the one before'),
});

export const todoWriteTool: Tool = defineTool({
  name: 'TodoWrite',
  description: [
    'Keeps a list of the steps of a larger piece of work, which the person sees.',
    '- For work of three steps or more, or several things asked at once; not for a single small one.',
    '- One item is in_progress at a time. Mark it completed as soon as it is done, and only if it is.',
    '- Give the whole list each time.',
  ].join('\n'),
  schema,
  isReadOnly: false,
  run: async ({ todos }, { workspace }) => {
    const oldTodos = workspace.todos;
    workspace.todos = todos;
    const open = todos.filter(({ status }) => status !== 'completed').length;
    return {
      content: `The list has been updated: ${open} of ${todos.length} to do. Go on with the present item, and keep the list current.`,
      isError: false,
      stored: { oldTodos: plain(oldTodos), newTodos: plain(todos) },
    };
  },
});

function plain(todos: readonly Todo[]): JsonObject[] {
  return todos.map(({ content, status, activeForm }) => ({ content, status, activeForm }));
}

const question = z.object({
  question: z.string().min(1, 'is empty').max(2000).describe('The whole question'),
  header: z.string().min(1, 'is empty').max(60).describe('One or two words that name it'),
  options: z
    .array(
      z.object({
        label: z.string().min(1, 'is empty').max(200).describe('One to five words'),
        description: z.string().max(2000).default('').describe('What choosing it means'),
      }),
    )
    .min(2, 'needs at least two')
    .max(4, 'has more than four')
    .describe('The choices; a free answer is always possible and must not be listed'),
  multiSelect: z.boolean().default(false).describe('Whether several may be chosen'),
});

export const askUserQuestionTool: Tool = defineTool({
  name: 'AskUserQuestion',
  description:
    'Asks the person one to four questions with choices, when the work cannot go on without their decision. The person may always answer in their own words. Not for approval of a plan: use ExitPlanMode.',
  schema: z.object({
    questions: z
      .array(question)
      .min(1, 'is empty')
      .max(4, 'has more than four')
      .refine((list) => new Set(list.map((item) => item.question)).size === list.length, 'has the same question twice'),
  }),
  isReadOnly: false,
  run: async ({ questions }, context) => {
    const asked: readonly JsonObject[] = questions;
    const answer = await context.askUser({ kind: 'questions', questions: asked });
    if (answer?.kind === 'declined') throw new ToolFailure(answer.message);
    if (answer?.kind !== 'answers')
      throw new ToolFailure('Nobody answered the questions. Decide by yourself and say what you assumed, or stop.');
    const given = Object.entries(answer.answers).map(([text, reply]) => `"${text}"="${reply}"`);
    return {
      content: `The person has answered: ${given.join(', ')}. Go on with these answers in mind.`,
      isError: false,
      stored: { questions: asked, answers: answer.answers },
    };
  },
});

export const exitPlanModeTool: Tool = defineTool({
  name: 'ExitPlanMode',
  description:
    'In plan mode: shows the finished plan to the person and asks whether to carry it out. Only for work that changes something, not for questions that only need reading.',
  schema: z.object({
    plan: z.string().min(1, 'is empty').max(200_000, 'is too long').describe('The plan, in Markdown'),
  }),
  isReadOnly: false,
  run: async ({ plan }, context) => {
    const answer = await context.askUser({ kind: 'plan', plan });
    if (answer?.kind === 'declined') throw new ToolFailure(answer.message);
    if (answer?.kind !== 'plan') throw new ToolFailure('Nobody approved the plan. Stay in plan mode and end the turn.');
    const comment = answer.comment === undefined || answer.comment === '' ? '' : ` They say: ${answer.comment}`;
    if (!answer.isApproved)
      throw new ToolFailure(`The person does not want this plan to be carried out. Stay in plan mode.${comment}`);
    return {
      content: `The person has approved the plan. Begin with the work.${comment}\n\n## Approved plan\n${plan}`,
      isError: false,
      stored: { plan, isAgent: false },
    };
  },
});
