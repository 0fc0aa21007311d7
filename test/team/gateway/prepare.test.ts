// Spans on their way through the gateway: recognised by what was sent, without secrets, with the attributes of their sender.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeRuleSet } from '../../../src/surgery/secrets/index.ts';
import type { Span, TraceRequest } from '../../../src/team/gateway/otlp/index.ts';
import { type PreparedRequest, prepareRequest } from '../../../src/team/gateway/traces/prepare.ts';

const sender = { tenant: 1, person: 2, tenantName: 'acme', personName: 'ada', groups: ['core', 'data'] };
const ruleSet = makeRuleSet();
const token = ['ghp', 'k3Vn8Zq1Xw6Tb4Rm9Lc2Yd7Hs5Jf0PgUaEo1'].join('_');
const password = ['tr0ub4dor', 'correct', '9x'].join('-');

type Attributes = NonNullable<Span['attributes']>;
const textOf = (key: string, stringValue: string): Attributes[number] => ({ key, value: { stringValue } });

function span(more: Partial<Span> = {}): Span {
  return { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), name: 'Turn 1', ...more };
}

function requestOf(...spans: Span[]): TraceRequest {
  return { resourceSpans: [{ resource: { attributes: [] }, scopeSpans: [{ scope: { name: 's' }, spans }] }] };
}

function prepare(request: TraceRequest, person = sender): PreparedRequest {
  return prepareRequest(structuredClone(request), person, ruleSet);
}

const keysOf = (request: TraceRequest): readonly string[] =>
  prepare(request).spans.map(({ key }) => key.toString('hex'));

const own = [
  textOf('clew.team', 'acme'),
  textOf('clew.person', 'ada'),
  { key: 'clew.groups', value: { arrayValue: { values: [{ stringValue: 'core' }, { stringValue: 'data' }] } } },
];

test('resource and spans say whose they are', () => {
  const [only] = prepare(requestOf(span({ attributes: [textOf('a', 'b')] }))).spans;
  assert.deepEqual(only?.resourceSpans.resource?.attributes, own);
  assert.deepEqual(only?.span.attributes, [textOf('a', 'b'), textOf('user.id', 'ada'), ...own]);
});

test('a sender cannot say that spans are another’s, however the name is written', () => {
  const forged = [
    ...['user.id', 'User.ID', 'user.id ', 'us\u200ber.id', 'ｕser.id', 'langfuse.user.id', 'enduser.id', 'user.id.x'],
    ...['clew.person', 'CLEW.PERSON', 'clew.team', 'clew.groups', 'clew.group', 'clew.person.name'],
  ].map((key) => textOf(key, 'mallory'));
  const inner = { key: 'id', value: { stringValue: 'mallory' } };
  const maps = [
    { key: 'user', value: { kvlistValue: { values: [inner, textOf('kept', 'yes')] } } },
    {
      key: 'langfuse',
      value: { kvlistValue: { values: [{ key: 'user', value: { kvlistValue: { values: [inner] } } }] } },
    },
  ];
  const attributes = (): Attributes => structuredClone([...forged, ...maps, ...forged]);
  const request: TraceRequest = {
    resourceSpans: [
      {
        resource: { attributes: attributes() },
        scopeSpans: [
          {
            scope: { attributes: attributes() },
            spans: [
              span({
                attributes: attributes(),
                events: [{ attributes: attributes() }],
                links: [{ attributes: attributes() }],
              }),
            ],
          },
        ],
      },
    ],
  };
  const { spans } = prepare(request);
  const text = JSON.stringify(spans.map(({ resourceSpans }) => resourceSpans));
  assert.ok(!text.includes('mallory'));
  assert.equal(text.split('"kept"').length - 1, 5);
});

test('secrets leave no text of a request, also where only another span makes them recognisable', () => {
  const value = { stringValue: `x ${token}` };
  const attributes: Attributes = [
    { key: 'a', value },
    { key: 'b', value: { arrayValue: { values: [value, { kvlistValue: { values: [{ key: 'c', value }] } }] } } },
    { key: 'd', value: { bytesValue: Buffer.from(`x ${token}`).toString('base64') } },
    { key: `key ${token}`, value: { boolValue: true } },
    textOf('db.password', password),
  ];
  const name = `n ${token}`;
  const all = span({
    name,
    attributes,
    traceState: `t=${token}`,
    status: { message: `failed: ${token}` },
    events: [{ name, attributes: structuredClone(attributes) }],
    links: [{ traceState: `t=${token}`, attributes: structuredClone(attributes) }],
  });
  const before = span({ spanId: 'c'.repeat(16), name: `it said ${password}` });
  const request: TraceRequest = {
    resourceSpans: [
      {
        resource: { attributes: structuredClone(attributes) },
        schemaUrl: `https://x/${token}`,
        scopeSpans: [
          {
            scope: { name, version: token, attributes: structuredClone(attributes) },
            spans: [before, all],
            schemaUrl: token,
          },
        ],
      },
    ],
  };
  const text = JSON.stringify(prepare(request).spans);
  for (const secret of [token, password, Buffer.from(`x ${token}`).toString('base64')])
    assert.ok(!text.includes(secret));
  const named = span({ attributes: [textOf('db.password', password)] });
  const [first] = prepare(requestOf(before, named)).spans;
  assert.match(first?.span.name ?? '', /^it said \[redacted:/);
});

test('a span is known by its ids, its content, its resource and its scope, before secrets are replaced', () => {
  const [key] = keysOf(requestOf(span()));
  assert.deepEqual(keysOf(requestOf(span())), [key]);
  assert.deepEqual(keysOf(requestOf(span(), span())), [key]);
  const others = [
    requestOf(span({ spanId: 'c'.repeat(16) })),
    requestOf(span({ traceId: 'c'.repeat(32) })),
    requestOf(span({ endTimeUnixNano: '5' })),
    requestOf(span({ attributes: [textOf('a', token)] })),
    requestOf(span({ attributes: [textOf('a', token.replace('k3', 'k4'))] })),
    { resourceSpans: [{ resource: { attributes: [textOf('a', 'b')] }, scopeSpans: [{ spans: [span()] }] }] },
  ];
  const keys = others.flatMap(keysOf);
  assert.equal(new Set([key, ...keys]).size, 7);
});

test('spans without valid ids are rejected, the others are not', () => {
  const bad = [{ traceId: '0'.repeat(32) }, { spanId: '' }, { spanId: 'b'.repeat(18) }, { parentSpanId: 'bb' }].map(
    span,
  );
  const { spans, rejected } = prepare(requestOf(...bad, span()));
  assert.deepEqual([spans.length, rejected], [1, 4]);
});
