// Events of a conversation → its lines, the same for a session and its sub-agents.
import { isBinding } from '../../api/request/index.ts';
import { isThinking } from '../../session/resume/messages/index.ts';
import type { AgentEvent, Compacted, PermissionMode } from '../contract/index.ts';
import {
  blockBody,
  boundaryBody,
  failureBody,
  interruptedBody,
  promptBody,
  reportLine,
  resultBody,
  retryBody,
  strippedBody,
  summaryBody,
  switchBody,
} from './entries.ts';
import { promptLine } from './frozen-prompt.ts';
import type { NewLine } from './transcript-writer.ts';
import type { PromptFacts } from './turn-facts.ts';

export interface SaidIn {
  readonly isSidechain: boolean;
  /** Another client writes the session too; nobody resumes a sub-agent. */
  readonly isShared: boolean;
  readonly mode: PermissionMode;
  /** For a prompt: its id and, in a session, its turn. */
  readonly prompt: PromptFacts;
  readonly agentType: string | undefined;
}

/** Empty for events that are not part of the conversation. */
export function saidLines(event: AgentEvent, said: SaidIn): readonly NewLine[] {
  const { isSidechain, isShared, mode, prompt, agentType } = said;
  const { promptId } = prompt;
  switch (event.type) {
    case 'prompt':
      return [{ kind: 'chain', uuid: event.uuid, body: promptBody(event, isSidechain ? undefined : mode, prompt) }];
    case 'block':
      // A model that checks what comes before thinking refuses ours after the client's prompt.
      return isShared && !isSidechain && isThinking(event.block) && isBinding(event.message.model)
        ? [{ kind: 'thinking', body: blockBody(event) }]
        : [{ kind: 'chain', uuid: event.uuid, body: blockBody(event, { agentType }) }];
    case 'result':
      return [{ kind: 'chain', uuid: event.uuid, body: resultBody(event, isSidechain, { promptId }) }];
    case 'interrupted':
      return [{ kind: 'chain', uuid: event.uuid, body: interruptedBody(event, { promptId }) }];
    case 'retry':
      return [{ kind: 'chain', uuid: event.uuid, body: retryBody(event) }];
    case 'model-switched':
      return [{ kind: 'chain', uuid: event.uuid, body: switchBody(event) }];
    case 'request-failed':
      return [{ kind: 'chain', uuid: event.uuid, body: failureBody(event) }];
    case 'thinking-stripped':
      return [{ kind: 'chain', uuid: event.uuid, body: strippedBody() }];
    case 'thinking-reported':
      return [{ kind: 'loose', body: (moment) => reportLine(event, moment) }];
    case 'prompt-frozen':
      return [{ kind: 'loose', body: { ...promptLine(event.prompt), ...(isSidechain ? { isSidechain } : {}) } }];
    case 'compacted':
      return compactionLines(event, promptId);
    default:
      return [];
  }
}

/** In one append: old clients would lose the history at a boundary without a summary. */
function compactionLines(event: Compacted, promptId: string): readonly NewLine[] {
  const { result } = event;
  if ('problem' in result) return [];
  return [
    { kind: 'chain', uuid: result.boundaryUuid, body: (moment) => boundaryBody(event, moment), restarts: true },
    { kind: 'chain', uuid: result.summaryUuid, body: summaryBody(result.summary, promptId) },
  ];
}
