// The server speaks MCP: malformed and oversized input is refused and nothing ends it, answers stay within their budget, and it
// ends when its input closes.
import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import { asObject, isArray, type JsonObject } from '../../src/base/json/json.ts';
import { idOf, makePlace, type Place, referencesIn, startMemory, uuidOf } from './memory-kit.ts';

/** Written down here, not computed by the code under test: fewer characters a token than any tokenizer has. */
const charsPerToken = 8;

function planted(context: TestContext): Place {
  const place = makePlace(context);
  const long = 'a rather long line of ordinary output, again and again\n'.repeat(2000);
  place.plant({
    cwd: place.project,
    id: '1',
    title: 'the parser',
    turns: [
      { prompt: 'why does the parser fail?', answer: 'A comma was missing.' },
      {
        prompt: 'fix it',
        thinking: 'I think so',
        answer: 'Fixed in parser.ts.',
        calls: [
          { tool: 'Edit', input: { file_path: '/src/parser.ts', old_string: 'a', new_string: 'b' }, output: 'ok' },
          { tool: 'Bash', input: { command: 'npm test' }, output: long },
        ],
      },
      { prompt: 'thanks', answer: 'You are welcome.' },
    ],
  });
  return place;
}

test('the four tools are listed, read-only, and cost less than 600 tokens', async (context) => {
  const asker = await startMemory(context, makePlace(context));
  const { result } = await asker.ask('tools/list');
  const tools = asObject(result)?.tools;
  assert.ok(isArray(tools));
  assert.deepEqual(
    tools.map((tool) => asObject(tool)?.name),
    ['search', 'read', 'outline', 'usage'],
  );
  for (const tool of tools) {
    assert.equal(asObject(asObject(tool)?.annotations)?.readOnlyHint, true);
    assert.equal(asObject(asObject(tool)?.inputSchema)?.additionalProperties, false);
  }
  // What a model gets: a token of JSON has two and a half characters or more.
  const sent = tools.map((tool) => ({ ...asObject(tool), annotations: undefined }));
  assert.ok(JSON.stringify(sent).length < 600 * 2.6, String(JSON.stringify(sent).length));
});

test('nothing is read or written before the first question', async (context) => {
  const place = planted(context);
  const asker = await startMemory(context, place);
  await asker.ask('tools/list');
  await asker.ask('prompts/list');
  await asker.ask('resources/templates/list');
  assert.deepEqual(readdirSync(place.state), []);
  await asker.call('search', { query: 'parser' });
  assert.ok(existsSync(`${place.state}/index.db`));
});

test('search returns references that read takes, and read leads on to the next turn', async (context) => {
  const asker = await startMemory(context, planted(context));
  const found = await asker.call('search', { query: 'why does the parser fail' });
  const [first] = referencesIn(found);
  assert.equal(first, `clew:${idOf('1').slice(0, 13)}#${uuidOf('1', 0).slice(0, 13)}`);
  const text = await asker.call('read', { reference: first ?? '' });
  assert.match(text, /^\| user: why does the parser fail\?$/m);
  assert.match(text, /^\| assistant: A comma was missing\.$/m);
  const next = referencesIn(text).at(-1);
  assert.equal(next, `clew:${idOf('1').slice(0, 13)}#${uuidOf('1', 2).slice(0, 13)}`);
  assert.match(await asker.call('read', { reference: next ?? '' }), /^\| Edit: .*parser\.ts/m);
});

test('a turn is named by its number, the start of a uuid, and a line', async (context) => {
  const asker = await startMemory(context, planted(context));
  for (const turn of ['2', uuidOf('1', 2).slice(0, 8), uuidOf('1', 2), uuidOf('1', 4).slice(0, 8), 'L3', 'L4'])
    for (const session of [idOf('1'), idOf('1').slice(0, 13), idOf('1').slice(0, 8)])
      assert.match(await asker.call('read', { reference: `clew:${session}#${turn}` }), /^\| user: fix it$/m, turn);
});

test('read shows only what is included', async (context) => {
  const asker = await startMemory(context, planted(context));
  const reference = `clew:${idOf('1')}#2`;
  const shown = async (include: readonly string[]): Promise<string> =>
    asker.call('read', { reference, include: [...include] });
  assert.doesNotMatch(await shown(['prompt']), /Fixed|I think|npm test|parser\.ts/);
  assert.match(await shown(['answer']), /Fixed in/);
  assert.match(await shown(['thinking']), /I think so/);
  assert.doesNotMatch(await shown(['prompt', 'answer', 'calls']), /I think so|ordinary output/);
  assert.match(await shown(['output']), /ordinary output/);
  assert.match(await shown(['files']), /^\| files: \/src\/parser\.ts$/m);
});

test('a cut answer says where to read on, and the parts are the whole', async (context) => {
  const asker = await startMemory(context, planted(context));
  const reference = `clew:${idOf('1')}#2`;
  let shown = '';
  let from: string | undefined;
  let answers = 0;
  for (; answers < 60; answers++) {
    const text = await asker.call('read', { reference, include: ['output'], tokens: 1500, ...(from && { from }) });
    shown += text.replaceAll(/^(?!\| ).*$|^\| /gm, '').replaceAll(/\s/g, '');
    from = /read on with from "(\d+:\d+)"/.exec(text)?.[1];
    if (from === undefined) break;
  }
  assert.ok(shown.endsWith('aratherlonglineofordinaryoutput,againandagain'.repeat(2000)));
  assert.ok(answers > 10);
});

test('no answer exceeds its budget, and each says how many tokens it has', async (context) => {
  const asker = await startMemory(context, planted(context));
  const reference = `clew:${idOf('1')}#2`;
  const include = ['prompt', 'answer', 'calls', 'thinking', 'output', 'files'];
  for (const tokens of [200, 333, 1000, 5000, 10_000]) {
    for (const text of [
      await asker.call('read', { reference, include, tokens }),
      await asker.call('outline', { session: idOf('1'), tokens }),
      await asker.call('usage', { tokens }),
    ]) {
      const said = Number(/\((\d+) tokens\)$/.exec(text)?.[1]);
      assert.ok(said <= tokens, `${said} of ${tokens}`);
      assert.ok(text.length <= tokens * charsPerToken, `${text.length} characters for ${tokens} tokens`);
      // A word is at least a token for every tokenizer.
      assert.ok(said >= (text.match(/[A-Za-z]+/g)?.length ?? 0), text);
    }
  }
});

test('an output of 50 MB and 10,000 turns stay within the budget', async (context) => {
  const place = makePlace(context);
  const output = 'x'.repeat(50 * 1024 * 1024);
  place.plant({
    cwd: place.project,
    id: '1',
    turns: [{ prompt: 'huge', calls: [{ tool: 'Bash', input: { command: 'yes' }, output }] }],
  });
  place.plant({
    cwd: place.project,
    id: '2',
    turns: Array.from({ length: 10_000 }, (_, i) => ({ prompt: `turn number ${i}` })),
  });
  const asker = await startMemory(context, place);
  const read = await asker.call('read', { reference: idOf('1'), include: ['output'], tokens: 500 });
  assert.match(read, /cut: read on/);
  assert.ok(read.length < 500 * charsPerToken);
  const outline = await asker.call('outline', { session: idOf('2'), tokens: 500 });
  assert.match(outline, /10000 turns[\s\S]*cut: list on with from \d+/);
  assert.ok(outline.length < 500 * charsPerToken);
  assert.match(await asker.call('outline', { session: idOf('2'), from: 9999 }), /turn number 9999/);
});

const wrong: readonly (readonly [what: string, name: string, args: JsonObject])[] = [
  ['no query', 'search', {}],
  ['an empty query', 'search', { query: '' }],
  ['a query that is too long', 'search', { query: 'x'.repeat(1001) }],
  ['a query that is a number', 'search', { query: 5 }],
  ['a query that is a list', 'search', { query: ['a'] }],
  ['an unknown argument', 'search', { query: 'a', allProjects: true }],
  ['a limit of 0', 'search', { query: 'a', limit: 0 }],
  ['a limit of a million', 'search', { query: 'a', limit: 1e6 }],
  ['half a limit', 'search', { query: 'a', limit: 1.5 }],
  ['an unknown role', 'search', { query: 'a', role: 'system' }],
  ['a time that is not one', 'search', { query: 'a', since: 'some day' }],
  ['no reference', 'read', {}],
  ['a reference that is not one', 'read', { reference: 'a b c' }],
  ['a budget of 1', 'read', { reference: 'clew:a#1', tokens: 1 }],
  ['a budget of a million', 'read', { reference: 'clew:a#1', tokens: 1e6 }],
  ['an unknown part', 'read', { reference: 'clew:a#1', include: ['secrets'] }],
  ['no part', 'read', { reference: 'clew:a#1', include: [] }],
  ['a place that is not one', 'read', { reference: `clew:${idOf('1')}#2`, from: '-1' }],
  ['a turn that is not there', 'read', { reference: `clew:${idOf('1')}#99` }],
  ['turn 0', 'read', { reference: `clew:${idOf('1')}#0` }],
  ['a start below 1', 'outline', { from: 0 }],
  ['an unknown report', 'usage', { by: 'planet' }],
  ['a day that is not one', 'usage', { since: 'x' }],
];

test('malformed and oversized arguments are refused as errors of MCP', async (context) => {
  const asker = await startMemory(context, planted(context));
  for (const [what, name, args] of wrong) {
    const text = await asker.call(name, args);
    assert.match(text, /^ERROR /, what);
    assert.ok(text.length < 1000, what);
    assert.doesNotMatch(text, /could not answer|bug/, what);
  }
  const unknown = await asker.ask('tools/call', { name: 'delete', arguments: {} });
  assert.equal(asObject(unknown.error)?.code, -32_602);
  const list = await asker.ask('tools/call', { name: 'search', arguments: ['a'] });
  assert.ok(asObject(list.error) !== undefined);
  const method = await asker.ask('server/discover');
  assert.equal(asObject(method.error)?.code, -32_601);
  const prompt = await asker.ask('prompts/get', { name: 'other' });
  assert.equal(asObject(prompt.error)?.code, -32_602);
  const resource = await asker.ask('resources/read', { uri: 'file:///etc/passwd' });
  assert.equal(asObject(resource.error)?.code, -32_602);
  assert.match(await asker.call('search', { query: 'parser' }), /why does the parser fail/);
});

test('lines that are not messages are refused, and the server continues', async (context) => {
  const asker = await startMemory(context, planted(context));
  const before = asker.lines.length;
  asker.raw('not json\n');
  asker.raw('[]\n{}\n"text"\n42\nnull\n\n   \n');
  asker.raw('{"jsonrpc":"1.0","id":900,"method":"tools/list"}\n');
  asker.raw(Buffer.from([0xff, 0xfe, 0x00, 0x0a]));
  asker.raw(`{"jsonrpc":"2.0","id":901,"method":"tools/call","params":{"name":"search","arguments":{"query":"`);
  for (let i = 0; i < 40; i++) asker.raw('y'.repeat(64 * 1024));
  asker.raw('"}}}\n');
  asker.raw(`${'['.repeat(100_000)}\n`);
  assert.match(await asker.call('search', { query: 'parser' }), /why does the parser fail/);
  const errors = asker.lines.slice(before).map((line) => asObject(line.error)?.code);
  const codes = errors.filter((code) => code !== undefined);
  assert.deepEqual(codes.filter((code) => code === -32_700 || code === -32_600).length, codes.length);
  assert.ok(codes.length >= 9, String(codes));
  assert.ok(asker.lines.some((line) => line.id === 900 && asObject(line.error)?.code === -32_600));
});

test('it ends when its input closes, in the middle of a line too', async (context) => {
  const place = planted(context);
  for (const rest of ['', '{"jsonrpc":"2.0","id":7,']) {
    const asker = await startMemory({ after: () => undefined }, place);
    await asker.call('search', { query: 'parser' });
    asker.raw(rest);
    await asker.end();
  }
});

test('recall and resources answer from the same sessions', async (context) => {
  const asker = await startMemory(context, planted(context));
  await asker.call('search', { query: 'parser' });
  const { result } = await asker.ask('prompts/get', { name: 'recall', arguments: { words: 'parser', word2: 'fail' } });
  assert.match(JSON.stringify(result), /Recall: parser fail[\s\S]*why does the parser fail/);
  const listed = await asker.ask('resources/list');
  assert.match(JSON.stringify(listed.result), new RegExp(`clew://session/${idOf('1')}`));
  const read = await asker.ask('resources/read', { uri: `clew://session/${idOf('1')}/2` });
  assert.match(JSON.stringify(read.result), /\| user: fix it/);
  const templates = await asker.ask('resources/templates/list');
  assert.match(JSON.stringify(templates.result), /clew:\/\/session\/\{session\}/);
});
