// The blocks of a tool call's result → what came of it, for a reader: their text, and the outcome in a few words.
import { counted, formatCount } from '../base/human.ts';
import { type Block, isImage, textOf } from '../format/block.ts';

/** Their text, with a mark where there are images. */
export function resultText(blocks: readonly Block[]): string {
  const images = blocks.filter(isImage).length;
  return `${textOf(blocks)}${images === 0 ? '' : `[${images === 1 ? 'image' : counted(images, 'image')}]`}`;
}

/** As much as is needed of a call in a session, or of one that has just been made. */
export interface FinishedCall {
  readonly isError: boolean;
  /** `undefined` where there is none. */
  readonly result: unknown;
}

/** The error, the one line it answered, or how much it answered; `did` is what the reader is told of the input. */
export function outcomeOf(call: FinishedCall, result: string, did: string): string {
  if (call.result === undefined) return 'no result in the file';
  const text = withoutErrorTags(result).trim();
  const [first = '', ...more] = text.split('\n');
  if (call.isError) return first;
  if (more.length > 0) return `${formatCount(more.length + 1)} lines`;
  // "The file … has been updated" says nothing that the line does not say already.
  return did !== '' && first.includes(did) ? '' : first;
}

/** The client wraps the text of a failed call in tags for the model. */
export function withoutErrorTags(text: string): string {
  return text.replace(/<\/?tool_use_error>/g, '');
}

/** Below the session's own folder a path is as telling without it. */
export function withoutFolder(text: string, folder: string | undefined): string {
  return folder !== undefined && text.startsWith(`${folder}/`) ? text.slice(folder.length + 1) : text;
}
