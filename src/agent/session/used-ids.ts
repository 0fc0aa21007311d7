// The ids of messages and calls in a conversation. A resume joins lines by message id and pairs results by call id, so
// an id that a gateway sends twice must not be written twice.

import { randomUUID } from 'node:crypto';
import type { ModelRequest } from '../../api/client/model.ts';

export class UsedIds {
  readonly #messages = new Set<string>();
  readonly #calls = new Set<string>();

  /** The calls of a resumed history. */
  constructor(history: ModelRequest['messages'] = []) {
    for (const { content } of history) {
      if (typeof content === 'string') continue;
      for (const block of content)
        if (block.type === 'tool_use' && typeof block.id === 'string') this.#calls.add(block.id);
    }
  }

  forMessage(id: string): string {
    return take(this.#messages, id, 'msg_');
  }

  forCall(id: string | undefined): string {
    return take(this.#calls, id ?? '', 'toolu_');
  }
}

function take(used: Set<string>, id: string, prefix: string): string {
  const fresh = id === '' || used.has(id) ? `${prefix}${randomUUID().replaceAll('-', '').slice(0, 24)}` : id;
  used.add(fresh);
  return fresh;
}
