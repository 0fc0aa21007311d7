// Changes single values in the bytes of a JSON line. Everything else (key order, white space, escapes, invalid UTF-8,
// unknown and duplicate keys) stays byte for byte.
import type { JsonValue } from '../../base/json/index.ts';
import { decodeString, skipKey, skipString, skipValue, skipWhitespace } from './json-bytes.ts';
import { type Added, compactLayout, type Layout, type Splice } from './layout.ts';

/** The keys and indexes that lead to a place in a JSON value. */
export type JsonPath = readonly (string | number)[];

/** A value to set or to remove. Paths and indexes refer to the value as it is before all edits. */
export type Edit =
  | { readonly path: JsonPath; readonly set: JsonValue }
  | { readonly path: JsonPath; readonly remove: true };

/**
 * Applies the edits to the JSON value at the start of `bytes` and keeps the bytes after that value.
 * An absent key, or the index after the last element, is appended. Of duplicate keys `set` changes the last, which is
 * the one that counts, and `remove` removes all. A `set` without a parent and overlapping edits are a TypeError.
 * `layout` lays out what is new.
 */
export function editJson(bytes: Buffer, edits: readonly Edit[], layout: Layout = compactLayout): Buffer {
  const splices: Splice[] = [];
  const root = editTree(edits);
  // Only the edit of the whole value needs its end; the members are found on the way to it.
  const end = root.edit === undefined ? bytes.length : skipValue(bytes, 0);
  const work: Work[] = [{ node: root, start: skipWhitespace(bytes, 0), end }];
  for (let next = work.pop(); next !== undefined; next = work.pop()) {
    if (next.node.edit !== undefined) splices.push(replacement(next, next.node.edit, layout));
    else if (next.node.children.size > 0) editContainer(bytes, next, layout, splices, work);
  }
  return applySplices(bytes, splices);
}

const backslash = 0x5c;
const comma = 0x2c;
const openArray = 0x5b;
const closeArray = 0x5d;
const openObject = 0x7b;
const closeObject = 0x7d;

interface EditNode {
  readonly path: JsonPath;
  readonly children: Map<string | number, EditNode>;
  edit: Edit | undefined;
}

interface Work {
  readonly node: EditNode;
  readonly start: number;
  readonly end: number;
}

/** A member or an element; `start` is the start of its key, or of its value if it has none. */
interface Item {
  readonly key: string | number | undefined;
  readonly start: number;
  readonly valueStart: number;
  readonly end: number;
}

function editTree(edits: readonly Edit[]): EditNode {
  const root: EditNode = { path: [], children: new Map(), edit: undefined };
  for (const edit of edits) {
    let node = root;
    for (const [depth, key] of edit.path.entries()) {
      if (node.edit !== undefined) throw overlap(edit.path);
      let child = node.children.get(key);
      if (child === undefined) {
        child = { path: edit.path.slice(0, depth + 1), children: new Map(), edit: undefined };
        node.children.set(key, child);
      }
      node = child;
    }
    if (node.edit !== undefined || node.children.size > 0) throw overlap(edit.path);
    node.edit = edit;
  }
  return root;
}

function replacement({ start, end }: Work, edit: Edit, layout: Layout): Splice {
  if ('remove' in edit) throw new TypeError('the whole value cannot be removed, only replaced');
  if (end === -1) throw leadsNowhere(edit.path);
  return { start, end, text: layout.valueAt(start, edit.set) };
}

function editContainer(bytes: Buffer, { node, start }: Work, layout: Layout, splices: Splice[], work: Work[]): void {
  const items = listItems(bytes, start);
  if (items === undefined) {
    refuseSets(node);
    return;
  }
  const isArray = bytes[start] === openArray;
  const last = new Map(items.map((item) => [item.key, item]));
  const appended: EditNode[] = [];
  for (const [key, child] of node.children) {
    const item = last.get(key);
    if (item === undefined) {
      if (isAppend(child) && (typeof key === 'number') === isArray) appended.push(child);
      else refuseSets(child);
    } else if (!isRemoval(child)) {
      work.push({ node: child, start: item.valueStart, end: item.end });
    }
  }
  const added = isArray ? newElements(appended, items.length) : newMembers(appended);
  const isKept = (item: Item): boolean => item.key === undefined || !isRemoval(node.children.get(item.key));
  spliceItems(items, isKept, added, start, layout, splices);
}

/** Removes the items that are not kept, each with one comma, and appends the new ones. */
function spliceItems(
  items: readonly Item[],
  isKept: (item: Item) => boolean,
  added: readonly Added[],
  open: number,
  layout: Layout,
  splices: Splice[],
): void {
  const kept = items.filter(isKept);
  const first = kept[0];
  const final = items.at(-1);
  if (first === undefined) {
    splices.push(layout.fill(open, items[0]?.start ?? open + 1, final?.end ?? open + 1, added));
    return;
  }
  if (first !== items[0]) splices.push({ start: items[0]?.start ?? first.start, end: first.start, text: '' });
  let before: Item = first;
  let removedEnd = -1;
  for (const item of items.slice(items.indexOf(first) + 1)) {
    if (!isKept(item)) {
      removedEnd = item.end;
      continue;
    }
    if (removedEnd !== -1) splices.push({ start: before.end, end: removedEnd, text: '' });
    before = item;
    removedEnd = -1;
  }
  const text = layout.after(open, before.start, added);
  splices.push({ start: before.end, end: removedEnd === -1 ? before.end : removedEnd, text });
}

function applySplices(bytes: Buffer, splices: readonly Splice[]): Buffer {
  const parts: Buffer[] = [];
  let position = 0;
  for (const { start, end, text } of splices.toSorted((a, b) => a.start - b.start || a.end - b.end)) {
    parts.push(bytes.subarray(position, start), Buffer.from(text));
    position = end;
  }
  parts.push(bytes.subarray(position));
  return Buffer.concat(parts);
}

/** The members or elements of the container at `start`; `undefined` for any other value, and if it is incomplete. */
function listItems(bytes: Buffer, start: number): Item[] | undefined {
  const isArray = bytes[start] === openArray;
  if (!isArray && bytes[start] !== openObject) return undefined;
  const items: Item[] = [];
  let position = skipWhitespace(bytes, start + 1);
  const closing = isArray ? closeArray : closeObject;
  while (bytes[position] !== closing) {
    const valueStart = isArray ? position : skipKey(bytes, position);
    const end = valueStart < 0 ? -1 : skipValue(bytes, valueStart);
    if (end < 0) return undefined;
    items.push({ key: isArray ? items.length : keyAt(bytes, position), start: position, valueStart, end });
    position = skipWhitespace(bytes, end);
    if (bytes[position] === closing) break;
    if (bytes[position] !== comma) return undefined;
    position = skipWhitespace(bytes, position + 1);
    // A comma before the end is not JSON.
    if (bytes[position] === closing) return undefined;
  }
  return items;
}

function keyAt(bytes: Buffer, at: number): string | undefined {
  const end = skipString(bytes, at) - 1;
  for (let position = at + 1; position < end; position++) {
    const byte = bytes[position] as number; // the string is whole
    if (byte === backslash || byte < 0x20) return decodeString(bytes, at);
  }
  return bytes.toString('utf8', at + 1, end);
}

function newMembers(appended: readonly EditNode[]): Added[] {
  return appended.map((node) => ({ key: String(node.path.at(-1)), value: newValue(node) }));
}

/** New elements must directly follow the last one. */
function newElements(appended: readonly EditNode[], length: number): Added[] {
  const ordered = appended.toSorted((a, b) => Number(a.path.at(-1)) - Number(b.path.at(-1)));
  return ordered.map((node, index) => {
    if (node.path.at(-1) !== length + index) throw leadsNowhere(node.path);
    return { key: undefined, value: newValue(node) };
  });
}

function newValue(node: EditNode): JsonValue {
  return node.edit !== undefined && 'set' in node.edit ? node.edit.set : null;
}

function isAppend(node: EditNode): boolean {
  return node.edit !== undefined && 'set' in node.edit;
}

function isRemoval(node: EditNode | undefined): boolean {
  return node?.edit !== undefined && 'remove' in node.edit;
}

/** The parent does not exist: removing is fine, setting is an error. */
function refuseSets(top: EditNode): void {
  const nodes = [top];
  for (let node = nodes.pop(); node !== undefined; node = nodes.pop()) {
    if (isAppend(node)) throw leadsNowhere(node.path);
    for (const child of node.children.values()) nodes.push(child);
  }
}

function leadsNowhere(path: JsonPath): TypeError {
  return new TypeError(`nothing can be set at ${JSON.stringify(path)}: the path leads nowhere in this value`);
}

function overlap(path: JsonPath): TypeError {
  return new TypeError(`the edit at ${JSON.stringify(path)} overlaps another one`);
}
