import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { TranscriptOptions } from '../../../src/session/transcript/transcript.ts';
import { load, record, size, u1, u2, u3 } from '../transcript-kit.ts';

const summary = '{"type":"summary","summary":"Work","leafUuid":"u1"}';

interface Found {
  /** Name, line, offset, length; `hidden` after those that the client does not read. */
  readonly nodes: readonly string[];
  /** Code, line, offset. */
  readonly said: readonly string[];
}

function found(context: TestContext, content: string | Buffer, options?: TranscriptOptions): Found {
  const { nodes, diagnostics } = load(context, content, options);
  return {
    nodes: nodes.map(
      ({ uuid, type, line, offset, length, hidden }) =>
        `${uuid ?? type} ${line} ${offset} ${length}${hidden ? ' hidden' : ''}`,
    ),
    said: diagnostics.map(({ code, line, offset }) => `${code} ${line} ${offset}`),
  };
}

/** The same in both ways of reading. */
function check(context: TestContext, content: string | Buffer, expected: Found): void {
  for (const strict of [false, true]) assert.deepEqual(found(context, content, { strict }), expected);
}

test('sound lines are nodes with their places, and nothing is said', (context) => {
  check(context, `${u1}\n\n${summary}\n  \n${u2}\n`, {
    nodes: [
      `u1 1 0 ${size}`,
      `summary 3 ${size + 2} ${summary.length}`,
      `u2 5 ${size + 2 + summary.length + 4} ${size}`,
    ],
    said: [],
  });
  check(context, '', { nodes: [], said: [] });
  check(context, '\n\n', { nodes: [], said: [] });
});

test('a node is read back whole, wherever it is in the file', (context) => {
  const content = `${u1}${u2}\n\0${u3}\n{"type":\n"summary"}\n{"type":"user","x":"\\ud800é"}`;
  const transcript = load(context, `\ufeff${content}`);
  assert.deepEqual(
    transcript.nodes.map((node) => transcript.read(node)),
    [JSON.parse(u1), JSON.parse(u2), JSON.parse(u3), { type: 'summary' }, { type: 'user', x: '\ud800é' }],
  );
  assert.equal(transcript.sizeBytes, Buffer.byteLength(content) + 3);
});

test('a torn tail is said where it begins, and the lines before it are whole', (context) => {
  for (let end = 1; end < size; end++) {
    check(context, `${u1}\n${u2.slice(0, end)}`, {
      nodes: [`u1 1 0 ${size}`],
      said: [`L-torn-tail 2 ${size + 1}`],
    });
  }
});

test('a line cut in the middle of a file is reported in its place, and no line after it is lost', (context) => {
  for (let end = 1; end < size; end++) {
    const at = size + 1;
    check(context, `${u1}\n${u2.slice(0, end)}\n${summary}\n${u3}\n`, {
      nodes: [
        `u1 1 0 ${size}`,
        `summary 3 ${at + end + 1} ${summary.length}`,
        `u3 4 ${at + end + 2 + summary.length} ${size}`,
      ],
      said: [`L-torn-tail 2 ${at}`],
    });
  }
});

test('every cut line of several is said, in order, whatever they are cut in', (context) => {
  const cuts = [1, 14, 17, 40, 60, 85, 90];
  for (const first of cuts) {
    for (const second of cuts) {
      for (const third of cuts) {
        const lines = [u1.slice(0, first), u2.slice(0, second), u3.slice(0, third)];
        check(context, `${lines.join('\n')}\n${summary}\n${u3}\n`, {
          nodes: [
            `summary 4 ${first + second + third + 3} ${summary.length}`,
            `u3 5 ${first + second + third + summary.length + 4} ${size}`,
          ],
          said: [`L-torn-tail 1 0`, `L-torn-tail 2 ${first + 1}`, `L-torn-tail 3 ${first + second + 2}`],
        });
      }
    }
  }
});

test('a last line without newline is said at its end', (context) => {
  check(context, `${u1}\n${u2}`, {
    nodes: [`u1 1 0 ${size}`, `u2 2 ${size + 1} ${size}`],
    said: [`L-no-newline 2 ${2 * size + 1}`],
  });
});

test('a whole record after a cut one is a node that the client does not read', (context) => {
  const cut = u1.slice(0, 60);
  check(context, `${cut}${u2}\n${u3}\n`, {
    nodes: [`u2 1 60 ${size} hidden`, `u3 2 ${60 + size + 1} ${size}`],
    said: ['L-spliced 1 0'],
  });
});

test('of joined records the client reads the first, a reader sees all', (context) => {
  check(context, `${u1}${u2}${u3}\n`, {
    nodes: [`u1 1 0 ${size}`, `u2 1 ${size} ${size} hidden`, `u3 1 ${2 * size} ${size} hidden`],
    said: [`L-joined 1 ${size}`, `L-joined 1 ${2 * size}`],
  });
  check(context, `  ${u1} ${u2}`, {
    nodes: [`u1 1 2 ${size}`, `u2 1 ${size + 3} ${size} hidden`],
    said: [`L-joined 1 ${size + 2}`, `L-no-newline 1 ${2 * size + 3}`],
  });
});

test('NULs before a record hide it from the client, NULs alone are only said', (context) => {
  check(context, `\0\0\0${u1}\n\0\0\n${u2}\0\n`, {
    nodes: [`u1 1 3 ${size} hidden`, `u2 3 ${size + 7} ${size}`],
    said: ['L-nul 1 0', `L-nul 2 ${size + 4}`, `L-nul 3 ${2 * size + 7}`],
  });
});

test('a byte-order mark at the start is said and harmless, elsewhere it hides the record', (context) => {
  check(context, `\ufeff${u1}\n\ufeff${u2}\n`, {
    nodes: [`u1 1 3 ${size}`, `u2 2 ${size + 7} ${size} hidden`],
    said: ['L-bom 1 0', `L-bom 2 ${size + 4}`],
  });
});

test('CR LF is said once, at its first line', (context) => {
  check(context, `${u1}\n${u2}\r\n${u3}\r\n`, {
    nodes: [`u1 1 0 ${size}`, `u2 2 ${size + 1} ${size + 1}`, `u3 3 ${2 * size + 3} ${size + 1}`],
    said: [`L-crlf 2 ${2 * size + 1}`],
  });
});

test('text that is not a record is reported, and a record after it is hidden from the client', (context) => {
  check(context, `// header\n${u1}\n<<<<<<< HEAD\n[1]\nnull\n42\nlog: ${u2}\n`, {
    nodes: [`u1 2 10 ${size}`, `u2 7 ${size + 41} ${size} hidden`],
    said: [
      'L-not-json 1 0',
      `L-not-json 3 ${size + 11}`,
      `L-not-json 4 ${size + 24}`,
      `L-not-json 5 ${size + 28}`,
      `L-not-json 6 ${size + 33}`,
      `L-not-json 7 ${size + 36}`,
    ],
  });
});

test('junk after a record does not hide it', (context) => {
  for (const junk of ['x', '}', ']', ',"a":1}', '{"type":"us', ' // end', ':']) {
    const [node, ...others] = found(context, `${u1}${junk}\n${u2}\n`).nodes;
    assert.deepEqual([node, others], [`u1 1 0 ${size}`, [`u2 2 ${size + junk.length + 1} ${size}`]], junk);
  }
});

test('an object written over several lines is one node', (context) => {
  const pretty = JSON.stringify(JSON.parse(u2), undefined, 2);
  check(context, `${u1}\n${pretty}\n${u3}\n`, {
    nodes: [`u1 1 0 ${size}`, `u2 2 ${size + 1} ${pretty.length}`, `u3 13 ${size + pretty.length + 2} ${size}`],
    said: [],
  });
  const blocks = '{"type":"user","uuid":"u4","message":{"content":[\n\n{"type":"text","text":"a"},\n{"x":1}\n]}}';
  check(context, `${blocks}\r\n`, { nodes: [`u4 1 0 ${blocks.length + 1}`], said: [`L-crlf 5 ${blocks.length}`] });
  check(context, `\ufeff${pretty}`, {
    nodes: [`u2 1 3 ${pretty.length}`],
    said: ['L-bom 1 0', `L-no-newline 11 ${pretty.length + 3}`],
  });
});

test('lines that only look like an object over several lines are each what they are', (context) => {
  const opening = '{"type":"user","message":{';
  check(context, `${opening}\n${u1}\n}}\n`, {
    nodes: [`u1 2 ${opening.length + 1} ${size}`],
    said: ['L-torn-tail 1 0', `L-not-json 3 ${opening.length + size + 2}`],
  });
  check(context, `${opening}\nnoise\n${u1}\n`, {
    nodes: [`u1 3 ${opening.length + 7} ${size}`],
    said: ['L-torn-tail 1 0', `L-not-json 2 ${opening.length + 1}`],
  });
});

test('an object over more lines or bytes than are kept is given up, and every line of it is said', (context) => {
  for (const lines of [3000, 9000]) {
    const content = `{"a":[\n${'1,\n'.repeat(lines)}`;
    const { nodes, said } = found(context, `${content}${u1}\n`);
    // The client reads the record as an item of the array that is never closed.
    assert.deepEqual(nodes, [`u1 ${lines + 2} ${content.length} ${size} hidden`]);
    assert.equal(said.length, lines + 1);
    assert.deepEqual([said[0], said.at(-1)], ['L-torn-tail 1 0', `L-not-json ${lines + 1} ${content.length - 3}`]);
  }
  const wide = `{"a":["${'x'.repeat(3 << 20)}",`;
  check(context, `${wide}\n${wide}\n${u1}\n`, {
    nodes: [`u1 3 ${2 * wide.length + 2} ${size} hidden`],
    said: ['L-torn-tail 1 0', `L-torn-tail 2 ${wide.length + 1}`],
  });
});

test('bytes that are not UTF-8 are said by the strict way only, and the line is a node', (context) => {
  const bad = Buffer.from(`${u1}\n${record('u2', '\xff')}\n`, 'latin1');
  const nodes = [`u1 1 0 ${size}`, `u2 2 ${size + 1} ${size - 1}`];
  assert.deepEqual(found(context, bad), { nodes, said: [] });
  assert.deepEqual(found(context, bad, { strict: true }), { nodes, said: [`L-utf8 2 ${size + 1}`] });
});

test('half of a surrogate pair is said by the strict way only, in a key as well', (context) => {
  const strict = { strict: true };
  const said = (text: string): readonly string[] => found(context, `${u1}\n${text}\n`, strict).said;
  const at = size + 1;
  assert.deepEqual(said(record('u2', '\\ud83d')), [`L-surrogate 2 ${at}`]);
  assert.deepEqual(said(record('u2', '\\ude00\\ud83d')), [`L-surrogate 2 ${at}`]);
  assert.deepEqual(said('{"type":"user","a":[{"\\udc00":1}]}'), [`L-surrogate 2 ${at}`]);
  assert.deepEqual(said(record('u2', '\\ud83d\\ude00 \\\\ud83d')), []);
  assert.deepEqual(found(context, `${record('u2', '\\ud83d')}\n`).said, []);
});

test('the strict way says the same of an object over several lines', (context) => {
  const bad = Buffer.from('{"type":"user",\n"a":"\xff","b":"\\ud800"}\n', 'latin1');
  assert.deepEqual(found(context, bad, { strict: true }), {
    nodes: ['user 1 0 37'],
    said: ['L-utf8 1 0', 'L-surrogate 1 0'],
  });
});

test('the two ways differ on lines damaged inside a string or a scalar: shape alone makes a node', (context) => {
  const damaged = [
    record('u2', 'a\tb'),
    record('u2', '\\x'),
    record('u2').replace('null', 'nul'),
    record('u2').replace('null', '01'),
  ];
  for (const line of damaged) {
    const content = `${u1}\n${line}\n${u3}\n`;
    const third = `u3 3 ${size + line.length + 2} ${size}`;
    assert.deepEqual(
      found(context, content),
      { nodes: [`u1 1 0 ${size}`, `u2 2 ${size + 1} ${line.length}`, third], said: [] },
      line,
    );
    assert.deepEqual(
      found(context, content, { strict: true }),
      { nodes: [`u1 1 0 ${size}`, third], said: [`L-not-json 2 ${size + 1}`] },
      line,
    );
    const transcript = load(context, content);
    assert.deepEqual(
      transcript.nodes.map((node) => transcript.read(node)),
      [JSON.parse(u1), {}, JSON.parse(u3)],
    );
  }
});

test('a line without a type is read by people only', (context) => {
  const seed = '{"uuid":"x","message":{"role":"assistant","content":"hi"}}';
  check(context, `${seed}\n`, { nodes: [`x 1 0 ${seed.length} hidden`], said: [] });
  assert.equal(load(context, `${seed}\n`).nodes[0]?.type, 'assistant');
});

test('a file of Qwen Code is recognised, one of Claude Code is not', (context) => {
  const foreign = (content: string): string | undefined => load(context, content).foreign;
  const qwen = '{"type":"user","uuid":"q","sessionId":"s","message":{"role":"user","parts":[{"text":"hi"}]}}';
  assert.deepEqual(
    [
      foreign(`${qwen}\n`),
      foreign(`${u1}\n${qwen}\n`),
      foreign(u1),
      foreign(qwen.replace('{"role', '{"content":"x","role')),
    ],
    ['Qwen Code', 'Qwen Code', undefined, undefined],
  );
});

test('a binary file gives no node', (context) => {
  const bytes = Buffer.alloc(300_000);
  for (let i = 0, state = 1; i < bytes.length; i++) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    bytes[i] = state >>> 16;
  }
  for (const strict of [false, true]) {
    const { nodes, diagnostics } = load(context, bytes, { strict });
    assert.deepEqual(nodes, []);
    assert.ok(diagnostics.length > 0);
  }
});

test('diagnostics are capped, nodes are not', (context) => {
  const { nodes, diagnostics } = load(context, `noise ${u1}\n`.repeat(12_000));
  assert.deepEqual([nodes.length, diagnostics.length], [12_000, 10_000]);
});

test('a hundred thousand levels of nesting are read in both ways', (context) => {
  const deep = `{"type":"user","uuid":"d","a":${'['.repeat(100_000)}"\\ud800"${']'.repeat(100_000)}}`;
  const nodes = [`d 1 0 ${deep.length}`];
  assert.deepEqual(found(context, `${deep}\n`), { nodes, said: [] });
  assert.deepEqual(found(context, `${deep}\n`, { strict: true }), { nodes, said: ['L-surrogate 1 0'] });
});
