// The Agent tool: starts a sub-agent with its own conversation and returns its last answer.
import * as z from 'zod';
import type { Tool } from '../contract/tool.ts';
import { defineTool } from './shared/define.ts';

export interface AgentType {
  readonly name: string;
  readonly description: string;
}

export function makeAgentTool(types: readonly AgentType[]): Tool {
  const names = types.map(({ name }) => name);
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
        .describe('One of the types above'),
      model: z.string().min(1).max(200).optional().describe('Another model than that of the type'),
      run_in_background: z.boolean().optional().describe('Go on at once; the report comes later'),
    }),
    // Each call of the sub-agent is judged separately, so several sub-agents may start at the same time.
    isReadOnly: true,
    run: ({ description, prompt, subagent_type, model, run_in_background }, context) =>
      context.startAgent({
        description,
        prompt,
        type: subagent_type,
        ...(model === undefined ? {} : { model }),
        isBackground: run_in_background === true,
      }),
  });
}
