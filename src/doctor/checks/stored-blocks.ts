// A stored line → findings about blocks that a raw request with them would fail for, though the current client may leave
// them out or repair them.
import { asObject, asString, type JsonObject } from '../../base/json/json.ts';
import { blocksOf } from '../../format/entry/block.ts';
import type { Node } from '../../session/transcript/node.ts';
import { type ExaminedSession, findingPlace } from './examined-session.ts';
import { type Finding, makeFinding } from './finding.ts';

export function storedBlocks(examined: ExaminedSession, node: Node, entry: JsonObject): Finding[] {
  const content = asObject(entry.message)?.content;
  const blocks = blocksOf(content) as readonly JsonObject[]; // a block is a JSON object, whatever it says of itself
  const findings: Finding[] = [];
  if (blocks.some((block) => block.type === 'text' && block.text === '')) {
    const effect = 'the current client leaves it out; clients up to 2.1.150 send it, and the API answers 400';
    findings.push(makeFinding('A-empty-text', 'warn', findingPlace(examined, node), 'an empty text block', effect));
  }
  if (node.type === 'assistant' && blocks.some(isUnsigned)) {
    const effect = 'it is left out of the request for now; sent back to its own model, the API answers 400';
    const message = 'thinking without its signature';
    findings.push(makeFinding('A-thinking-altered', 'warn', findingPlace(examined, node), message, effect));
  }
  return findings;
}

function isUnsigned(block: JsonObject): boolean {
  return block.type === 'thinking' && !asString(block.signature);
}
