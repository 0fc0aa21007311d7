// Hooks in settings files of every layout: what is added looks like the lines around it, everything else stays byte for
// byte, and removing it restores the file.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withHooks, withoutHooks } from '../../src/settings/hooks.ts';

const entry = { event: 'Stop', command: 'ours', timeoutS: 5 };
const isOurs = (command: string): boolean => command === 'ours';
const own = '{"type":"command","command":"ours","timeout":5}';

/** The file without and with the hook, both written by hand. */
const files: Readonly<Record<string, readonly [string, string]>> = {
  'no members': [
    '{}\n',
    `{
  "hooks": {
    "Stop": [
      {
        "hooks": [
          {
            "type": "command",
            "command": "ours",
            "timeout": 5
          }
        ]
      }
    ]
  }
}
`,
  ],
  'one line': ['{"model":"opus"}', `{"model":"opus","hooks":{"Stop":[{"hooks":[${own}]}]}}`],
  'one line with spaces': [
    '{ "model": "opus", "env": {} }\n',
    `{ "model": "opus", "env": {}, "hooks": {"Stop":[{"hooks":[${own}]}]} }\n`,
  ],
  'tabs and CRLF': [
    '{\r\n\t"model": "opus"\r\n}\r\n',
    '{\r\n\t"model": "opus",\r\n\t"hooks": {\r\n\t\t"Stop": [\r\n\t\t\t{\r\n\t\t\t\t"hooks": [\r\n\t\t\t\t\t{\r\n\t\t\t\t\t\t"type": "command",\r\n\t\t\t\t\t\t"command": "ours",\r\n\t\t\t\t\t\t"timeout": 5\r\n\t\t\t\t\t}\r\n\t\t\t\t]\r\n\t\t\t}\r\n\t\t]\r\n\t}\r\n}\r\n',
  ],
  'a byte order mark, no final newline': ['\uFEFF{"a":1}', `\uFEFF{"a":1,"hooks":{"Stop":[{"hooks":[${own}]}]}}`],
  'hooks of others on one line, odd spaces': [
    '{\n "hooks" : { "Stop" : [ {"hooks":[{"type":"command","command":"theirs"}]} ] } ,\n\n "z":[1,\n2] }\n',
    `{\n "hooks" : { "Stop" : [ {"hooks":[{"type":"command","command":"theirs"}]},{"hooks":[${own}]} ] } ,\n\n "z":[1,\n2] }\n`,
  ],
  'another event, four spaces': [
    '{\n    "hooks": {\n        "PreToolUse": []\n    },\n    "é": "\\u00e9"\n}\n',
    `{
    "hooks": {
        "PreToolUse": [],
        "Stop": [
            {
                "hooks": [
                    {
                        "type": "command",
                        "command": "ours",
                        "timeout": 5
                    }
                ]
            }
        ]
    },
    "é": "\\u00e9"
}
`,
  ],
  'duplicate keys: the last one counts': [
    '{"hooks":{"A":[]},"hooks":{"B":[]}}',
    `{"hooks":{"A":[]},"hooks":{"B":[],"Stop":[{"hooks":[${own}]}]}}`,
  ],
};

for (const [name, [before, after]] of Object.entries(files)) {
  test(`${name}: a hook is added and removed`, () => {
    assert.equal(withHooks(before, [entry], isOurs, 'settings.json'), after);
    assert.equal(withHooks(after, [entry], isOurs, 'settings.json'), after);
    assert.equal(withoutHooks(after, isOurs, 'settings.json'), before);
    assert.equal(withoutHooks(before, isOurs, 'settings.json'), before);
  });
}

test('in a group with hooks of others, only ours is removed', () => {
  const text = `{"hooks":{"Stop":[{"matcher":"x","hooks":[{"command":"theirs"}, ${own}, {"command":"late"}]}],"B":[]}}`;
  assert.equal(
    withoutHooks(text, isOurs, 'settings.json'),
    '{"hooks":{"Stop":[{"matcher":"x","hooks":[{"command":"theirs"}, {"command":"late"}]}],"B":[]}}',
  );
});

test('a hook with an earlier timeout is replaced', () => {
  const text = '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"ours","timeout":1}]}],"A":[1]}}';
  assert.equal(withHooks(text, [entry], isOurs, 'settings.json'), `{"hooks":{"A":[1],"Stop":[{"hooks":[${own}]}]}}`);
});

test('hooks with elements that the client does not know stay', () => {
  const text = '{"hooks":{"Stop":[null,1,{"hooks":"x"},{"hooks":[null,{"command":1}]}]}}';
  const after = withHooks(text, [entry], isOurs, 'settings.json');
  assert.equal(after, text.replace(']}]}}', `]},{"hooks":[${own}]}]}}`));
  assert.equal(withoutHooks(after, isOurs, 'settings.json'), text);
});
