// Queue operations → the prompts a person typed while the agent was working, and what became of each. Those delivered
// in the middle of a turn often have no user line at all: without this they would be lost to a reader.
import { asObject, asString, type JsonObject } from '../base/json.ts';
import { blocksOf, textOf } from '../format/block.ts';
import { isMessage, type Node } from './node.ts';

export interface QueuedPrompt {
  readonly text: string;
  readonly time: number;
  /** Where it was typed. */
  readonly node: Node;
  /**
   * `prompt`: became a user line · `delivered`: given to the model in the middle of a turn · `taken-back`: by the
   * person · `waiting`: the file says no more.
   */
  readonly outcome: 'prompt' | 'delivered' | 'taken-back' | 'waiting';
  /** The line that shows it: the user line, or the `queued_command` attachment. */
  readonly shownBy: Node | undefined;
  /** Other messages stand between typing and use: it was typed while the agent worked. */
  readonly whileWorking: boolean;
}

export function findQueuedPrompts(nodes: readonly Node[], read: (node: Node) => JsonObject): readonly QueuedPrompt[] {
  const waiting: Waiting[] = [];
  const done: QueuedPrompt[] = [];
  let messages = 0;
  const settle = (prompt: Waiting | undefined, outcome: QueuedPrompt['outcome'], shownBy?: Node): void => {
    if (prompt === undefined) return;
    waiting.splice(waiting.indexOf(prompt), 1);
    const { text, node } = prompt;
    done.push({ text, time: node.time, node, outcome, shownBy, whileWorking: messages > prompt.messagesBefore });
  };
  for (const node of nodes) {
    if (node.type === 'queue-operation') {
      const entry = read(node);
      const text = asString(entry.content);
      const named = waiting.find((prompt) => prompt.text === text) ?? waiting[0];
      switch (entry.operation) {
        case 'enqueue':
          waiting.push({ text: text ?? '', node, messagesBefore: messages });
          break;
        case 'dequeue':
          settle(
            named,
            'prompt',
            nodes.slice(node.index).find((next) => next.promptKind !== undefined),
          );
          break;
        case 'remove':
          settle(named, 'delivered');
          break;
        case 'popAll':
          if (text === undefined) for (const prompt of [...waiting]) settle(prompt, 'taken-back');
          else settle(named, 'taken-back');
          break;
      }
    } else if (node.type === 'attachment' && node.subtype === 'queued_command') {
      addDelivered(done, node, promptOf(read(node)));
    } else if (isMessage(node) && !node.isSidechain) messages++;
  }
  for (const prompt of [...waiting]) settle(prompt, 'waiting');
  return done.sort((a, b) => a.node.index - b.node.index);
}

interface Waiting {
  readonly text: string;
  readonly node: Node;
  readonly messagesBefore: number;
}

/** The attachment of newer clients shows a prompt that a `remove` has delivered, or stands for one by itself. */
function addDelivered(done: QueuedPrompt[], node: Node, text: string): void {
  const at = done.findIndex((prompt) => prompt.outcome === 'delivered' && !prompt.shownBy && prompt.text === text);
  const known = done[at];
  if (known !== undefined) done[at] = { ...known, shownBy: node };
  else done.push({ text, time: node.time, node, outcome: 'delivered', shownBy: node, whileWorking: true });
}

function promptOf(entry: JsonObject): string {
  return textOf(blocksOf(asObject(entry.attachment)?.prompt));
}
