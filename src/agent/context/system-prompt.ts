// The tools and options of a session → its system prompt: how to work, what skills and servers offer, what was appended. It
// is made once for a session, so it holds nothing that changes: where and when the agent runs is told in the conversation.
import type { Command } from './command.ts';
import { writeInstructions } from './instructions.ts';
import { describeSkills } from './skill-tool.ts';

export interface SystemPromptOptions {
  /** The names of the tools the model has. */
  readonly tools: readonly string[];
  readonly isInteractive: boolean;
  readonly commands?: readonly Command[];
  /** What MCP servers say about their use. */
  readonly serverNotes?: readonly { readonly server: string; readonly text: string }[];
  /** In place of our own instructions. */
  readonly systemPrompt?: string;
  readonly appendSystemPrompt?: string;
}

export function buildSystemPrompt(options: SystemPromptOptions): readonly string[] {
  const blocks = [
    options.systemPrompt ?? writeInstructions(options),
    describeOffers(options),
    options.appendSystemPrompt ?? '',
  ];
  // The API refuses a text block that is empty or only spaces.
  return blocks.map(soundText).filter((block) => block !== '');
}

/** A text as it is sent. */
export function soundText(text: string): string {
  return text.trim().toWellFormed();
}

function describeOffers(options: SystemPromptOptions): string {
  const skills = options.tools.includes('Skill') ? describeSkills(options.commands ?? []) : undefined;
  const servers = (options.serverNotes ?? []).map(({ server, text }) => `## ${server}\n${text}`);
  return [
    ...(skills === undefined ? [] : [`# Skills\nLoad one with the Skill tool when it fits the task:\n${skills}`]),
    ...(servers.length === 0 ? [] : [`# What the MCP servers say about their tools\n\n${servers.join('\n\n')}`]),
  ].join('\n\n');
}
