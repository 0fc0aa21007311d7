// Attributes that say whose spans these are. What the sender put under these names is removed, wherever a server would read
// it: a sender cannot send spans under another name.
import type { AnyValue, Attributed, KeyValue, Span } from '../otlp/index.ts';
import type { Sender } from '../queue/index.ts';

/** Langfuse, Phoenix and others read the user from the first three. */
const reserved = ['user.id', 'langfuse.user.id', 'enduser.id', 'clew.person', 'clew.team', 'clew.groups', 'clew.group'];

export function removeReserved(of: Attributed | undefined): void {
  if (of?.attributes !== undefined) of.attributes = withoutReserved(of.attributes, '');
}

/** Also in values that are maps: some servers write `{user: {id}}` as `user.id`. */
function withoutReserved(attributes: readonly KeyValue[], prefix: string): KeyValue[] {
  const kept: KeyValue[] = [];
  for (const attribute of attributes) {
    const path = prefix + plainKey(attribute.key ?? '');
    if (isReserved(path)) continue;
    const inner = attribute.value?.kvlistValue;
    const isAbove = reserved.some((name) => name.startsWith(`${path}.`));
    if (inner?.values !== undefined && isAbove) inner.values = withoutReserved(inner.values, `${path}.`);
    kept.push(attribute);
  }
  return kept;
}

function isReserved(path: string): boolean {
  return reserved.some((name) => path === name || path.startsWith(`${name}.`));
}

/** As a reader sees it: without invisible characters, and in small letters. */
function plainKey(key: string): string {
  return key
    .normalize('NFKC')
    .replace(/[\p{C}\p{Z}\s]/gu, '')
    .toLowerCase();
}

export function tagResource(resource: Attributed, sender: Sender): void {
  resource.attributes = [...(resource.attributes ?? []), ...ownAttributes(sender)];
}

/** On the spans too: some servers show only one of the two. */
export function tagSpan(span: Span, sender: Sender): void {
  const user: KeyValue = { key: 'user.id', value: { stringValue: sender.personName } };
  span.attributes = [...(span.attributes ?? []), user, ...ownAttributes(sender)];
}

function ownAttributes({ tenantName, personName, groups }: Sender): KeyValue[] {
  const text = (value: string): AnyValue => ({ stringValue: value });
  return [
    { key: 'clew.team', value: text(tenantName) },
    { key: 'clew.person', value: text(personName) },
    { key: 'clew.groups', value: { arrayValue: { values: groups.map(text) } } },
  ];
}
