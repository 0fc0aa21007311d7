// The AskUserQuestion and ExitPlanMode tools. If nobody can answer, the result says so and the model continues alone.
import * as z from 'zod';
import type { JsonObject } from '../../base/json/json.ts';
import type { Tool } from '../contract/tool.ts';
import { defineTool, ToolFailure } from './shared/define.ts';

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
