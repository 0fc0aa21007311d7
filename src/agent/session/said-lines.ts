// Events of a conversation → its lines, the same for a session and its sub-agents.
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
} from './entries.ts';
import { promptLine } from './frozen-prompt.ts';
import type { NewLine } from './transcript-writer.ts';

export interface SaidIn {
  readonly isSidechain: boolean;
  /** Another client writes the session too; nobody resumes a sub-agent. */
  readonly isShared: boolean;
  readonly mode: PermissionMode;
}

/** Empty for events that are not part of the conversation. */
export function saidLines(event: AgentEvent, { isSidechain, isShared, mode }: SaidIn): readonly NewLine[] {
  switch (event.type) {
    case 'prompt':
      return [{ kind: 'chain', uuid: event.uuid, body: promptBody(event, mode) }];
    case 'block':
      return isShared && !isSidechain && isThinking(event.block)
        ? [{ kind: 'thinking', body: blockBody(event) }]
        : [{ kind: 'chain', uuid: event.uuid, body: blockBody(event) }];
    case 'result':
      return [{ kind: 'chain', uuid: event.uuid, body: resultBody(event, isSidechain) }];
    case 'interrupted':
      return [{ kind: 'chain', uuid: event.uuid, body: interruptedBody(event) }];
    case 'retry':
      return [{ kind: 'chain', uuid: event.uuid, body: retryBody(event) }];
    case 'request-failed':
      return [{ kind: 'chain', uuid: event.uuid, body: failureBody(event) }];
    case 'thinking-stripped':
      return [{ kind: 'chain', uuid: event.uuid, body: strippedBody() }];
    case 'thinking-reported':
      return [{ kind: 'loose', body: (moment) => reportLine(event, moment) }];
    case 'prompt-frozen':
      return [{ kind: 'loose', body: { ...promptLine(event.prompt), ...(isSidechain ? { isSidechain } : {}) } }];
    case 'compacted':
      return compactionLines(event);
    default:
      return [];
  }
}

/** In one append: old clients would lose the history at a boundary without a summary. */
function compactionLines(event: Compacted): readonly NewLine[] {
  const { result } = event;
  if ('problem' in result) return [];
  return [
    { kind: 'chain', uuid: result.boundaryUuid, body: (moment) => boundaryBody(event, moment), restarts: true },
    { kind: 'chain', uuid: result.summaryUuid, body: summaryBody(result.summary) },
  ];
}
