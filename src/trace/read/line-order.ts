// The lines of a transcript → the same lines in the order of the conversation, each answer with the time of its request.
// Some clients write an answer before the prompt it answers (2.1.45, 2.1.63, 2.1.150): its `parentUuid` names a line that
// comes later. Such an answer is held back until that line is read.
import { contentOf, isToolResult } from '../../format/entry/index.ts';
import { scanRecord } from '../../format/scan/index.ts';
import type { Line } from '../../store/index.ts';
import { requestOf, requestRefOf, type TraceLine, traceLinesOf } from './trace-line.ts';

/** Lines further apart than this are not reordered, so that memory stays bounded. */
const mostHeld = 200;
const mostKnown = 10_000;

interface Link {
  readonly uuid: string | undefined;
  readonly parentUuid: string | undefined;
  readonly line: TraceLine | undefined;
}

export class LineOrder {
  /** The uuid of a recent line → the uuid of the message line that it is or belongs to. */
  readonly #known = new Map<string, string | undefined>();
  readonly #requests = new Map<string, number>();
  #held: Link[] = [];
  /** The parent that the first held line waits for. */
  #awaited: string | undefined;

  /** The first line that was read but not returned yet. */
  get firstHeld(): TraceLine | undefined {
    return this.#held[0]?.line;
  }

  /** Takes the next line of the file; returns the lines that are in order now. */
  read(line: Line): readonly TraceLine[] {
    const lines = traceLinesOf(line).map((each) => this.#withRequest(each));
    if (lines.length === 0) return this.#readOther(line);
    return lines.flatMap((each) => {
      const { uuid, parentUuid } = each.head;
      return this.#take({ uuid, parentUuid: parentUuid ?? undefined, line: each });
    });
  }

  /** The lines that are still held back, in the order of the file. */
  rest(): readonly TraceLine[] {
    const lines = this.#held.flatMap(({ line }) => line ?? []);
    this.#held = [];
    this.#awaited = undefined;
    return lines;
  }

  #withRequest(line: TraceLine): TraceLine {
    const requestMs = this.#requests.get(requestRefOf(line) ?? '');
    return requestMs === undefined ? line : { ...line, requestMs };
  }

  #readOther(line: Line): readonly TraceLine[] {
    const head = scanRecord(line.bytes);
    const request = head?.type === 'api-request' ? requestOf(line) : undefined;
    if (request !== undefined) {
      if (this.#requests.size >= mostKnown) this.#requests.clear();
      this.#requests.set(request.id, request.timeMs);
    }
    if (head?.uuid === undefined) return [];
    return this.#take({ uuid: head.uuid, parentUuid: head.parentUuid ?? undefined, line: undefined });
  }

  #take({ uuid, parentUuid, line }: Link): readonly TraceLine[] {
    const parent = this.#known.get(parentUuid ?? '');
    const link = { uuid, parentUuid, line: line && parent !== undefined ? { ...line, parent } : line };
    const flushed = this.#isTooLate(link) ? this.rest() : [];
    if (this.#known.size >= mostKnown) this.#known.clear();
    if (uuid !== undefined) this.#known.set(uuid, isMessage(line) ? uuid : parent);
    if (this.#held.length === 0) {
      if (!this.#isEarly(link)) return link.line === undefined ? flushed : [...flushed, link.line];
      this.#awaited = link.parentUuid;
    }
    this.#held.push(link);
    return uuid !== undefined && uuid === this.#awaited ? [...flushed, ...this.#resolve(link)] : flushed;
  }

  #isEarly({ line, parentUuid }: Link): boolean {
    return line?.role === 'assistant' && parentUuid !== undefined && !this.#known.has(parentUuid);
  }

  /** An answer to a prompt that was read since: the awaited line will not come. */
  #isTooLate({ line }: Link): boolean {
    if (this.#held.length >= mostHeld) return true;
    if (line?.role !== 'assistant' || !this.#held.some((each) => each.line !== undefined && isInput(each.line)))
      return false;
    const id = line.head.message?.id;
    return id === undefined || !this.#held.some((each) => each.line?.head.message?.id === id);
  }

  /** `found`: the awaited line. Its user line, or the one it descends from, moves before the first held line. */
  #resolve(found: Link): readonly TraceLine[] {
    const passed = new Set<Link>();
    let link: Link | undefined = found;
    while (link !== undefined && !isMessage(link.line) && !passed.has(link)) {
      passed.add(link);
      const { parentUuid }: Link = link;
      link = this.#held.find((each) => each.uuid === parentUuid);
      // An attachment between the two was read, but not the prompt yet.
      if (link === undefined && parentUuid !== undefined && !this.#known.has(parentUuid)) {
        this.#awaited = parentUuid;
        return [];
      }
    }
    const parent = link?.line;
    const lines = this.rest();
    return parent === undefined ? lines : [parent, ...lines.filter((line) => line !== parent)];
  }
}

/** No message belongs to a compaction mark. */
function isMessage(line: TraceLine | undefined): boolean {
  return line !== undefined && line.role !== 'compaction';
}

/** A user line that is not a tool result. */
function isInput(line: TraceLine): boolean {
  return line.role === 'user' && !contentOf(line.entry).some(isToolResult);
}
