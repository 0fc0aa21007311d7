export { hostMessage } from './host-messages.ts';
export { type HostAgentOptions, HostSession } from './host-session.ts';
export type { HostPrompt } from './message.ts';
