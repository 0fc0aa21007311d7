export { type AgentDefinition, loadAgentDefinitions, loadProjectAgents } from './agent-definition.ts';
export { type Command, inlineCommandsOf, loadCommands, loadProjectCommands } from './command.ts';
export { readGivenAgents } from './given-agents.ts';
export { loadMemory, type MemoryOptions, PathMemory } from './memory.ts';
export { changedSections, describeEnvironment, describeSituation, type Section, userTexts } from './situation.ts';
export { describeSkills, makeSkillTool } from './skill-tool.ts';
export { buildSystemPrompt, soundText } from './system-prompt.ts';
export { expandPrompt, readCommand } from './user-prompt.ts';
