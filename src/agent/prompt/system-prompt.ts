// Builds the system prompt: instructions, skills, MCP servers and appended text. It is built once for a session and
// contains nothing that changes; the environment is part of the conversation.
import type { Command } from './command.ts';
import { writeInstructions } from './instructions.ts';
import { describeSkills } from './skill-tool.ts';

export interface SystemPromptOptions {
  /** The names of the offered tools. */
  readonly tools: readonly string[];
  readonly isInteractive: boolean;
  readonly commands?: readonly Command[];
  /** Instructions of MCP servers. */
  readonly serverNotes?: readonly { readonly server: string; readonly text: string }[];
  /** Replaces our own instructions. */
  readonly systemPrompt?: string;
  readonly appendSystemPrompt?: string;
}

export function buildSystemPrompt(options: SystemPromptOptions): readonly string[] {
  const blocks = [
    options.systemPrompt ?? writeInstructions(options),
    describeOffers(options),
    options.appendSystemPrompt ?? '',
  ];
  // The API refuses an empty or blank text block.
  return blocks.map(soundText).filter((block) => block !== '');
}

/** The text as it is sent. */
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
