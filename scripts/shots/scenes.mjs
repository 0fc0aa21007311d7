// The scenes of the pictures: what the model says, what is typed, and what is on the screen when the picture is taken.
const text = (said) => ({ type: 'text', text: said });
const call = (name, input) => ({ type: 'tool_use', name, input });
const reply = (...blocks) => ({ blocks });
const later = (delayMs, ...blocks) => ({ blocks, delayMs });
const forever = 600_000;

export const project = {
  'package.json': '{ "name": "lighthouse", "scripts": { "test": "sh test.sh" } }\n',
  'test.sh':
    'for name in "turns once a minute" "is dark by day" "is lit at dusk"; do echo "✔ $name"; sleep 0.2; done; sleep 600\n',
  'src/lamp.ts': `export interface Lamp {
  readonly isLit: boolean;
  readonly turnsPerMinute: number;
}

/** Lit from dusk to dawn. */
export function lampAt(hour: number): Lamp {
  const isLit = hour > 18 && hour < 6;
  return { isLit, turnsPerMinute: isLit ? 1 : 0 };
}
`,
  'src/tide.ts': 'export const tide = 3;\n',
  'watch.sh': 'for hour in 22 0 2 4; do echo "$hour: lit"; sleep 1; done\n',
};

const look = reply(
  text('I read the lamp and look for who asks it.'),
  call('Read', { file_path: 'src/lamp.ts' }),
  call('Grep', { pattern: 'lampAt' }),
);
const edit = call('Edit', {
  file_path: 'src/lamp.ts',
  old_string: '  const isLit = hour > 18 && hour < 6;\n',
  new_string:
    '  // The night goes over midnight: it is one of the two, never both.\n  const isLit = hour >= 18 || hour < 6;\n',
});
const found = text('`hour > 18 && hour < 6` is never true: **no hour is both**. The night goes over midnight.');

const plan = (...states) =>
  call('TodoWrite', {
    todos: [
      { content: 'Find why the lamp stays dark', status: states[0], activeForm: 'Finding why the lamp stays dark' },
      { content: 'Repair it', status: states[1], activeForm: 'Repairing it' },
      { content: 'Run the tests', status: states[2], activeForm: 'Running the tests' },
    ],
  });

function inSubAgent(request) {
  return JSON.stringify(request.body?.messages?.[0] ?? '').match(/Look through (\w+)/)?.[1];
}

const talk = (request) => (request.body?.messages ?? []).length;

export const scenes = [
  {
    name: 'chat-turn',
    title: 'clew chat in the middle of a turn: tool calls, a plan, a command with its output so far',
    flags: '--permission-mode acceptEdits --allowedTools "Bash(npm test)"',
    script: [
      look,
      reply(found, plan('completed', 'in_progress', 'pending'), edit),
      reply(plan('completed', 'completed', 'in_progress'), call('Bash', { command: 'npm test' })),
    ],
    keys: [['why is the lamp dark at night?', /is lit at dusk/]],
  },
  {
    name: 'chat-diff',
    title: 'clew chat after an edit: the diff, and the answer',
    flags: '--permission-mode acceptEdits',
    script: [
      look,
      reply(found, edit),
      reply(
        text(
          'The lamp is lit from six to six now:\n\n| hour | before | now |\n| --- | --- | --- |\n| 17 | dark | dark |\n| 18 | dark | lit |\n| 3 | dark | lit |\n\nRun `npm test` to see it.',
        ),
      ),
    ],
    keys: [['why is the lamp dark at night?', /to see it[\s\S]*accepts edits/]],
  },
  {
    name: 'chat-permission',
    title: 'clew chat asks: the command, why it is asked, and what one may answer',
    flags: '',
    script: [
      look,
      reply(found, edit),
      reply(
        text('Repaired. I commit it.'),
        call('Bash', {
          command: 'git commit -am "The lamp is lit at night" && git push',
          description: 'Commit and push the repair',
        }),
      ),
    ],
    keys: [
      ['why is the lamp dark at night? repair and push it', /Allow Edit/],
      ['1', /Allow Bash/],
    ],
  },
  {
    name: 'chat-agent',
    title: 'clew chat with two sub-agents at work, and a queued prompt',
    flags: '',
    script: (request) => {
      const agent = inSubAgent(request);
      const length = talk(request);
      if (agent !== undefined) {
        const file = agent === 'lamps' ? 'src/lamp.ts' : 'src/tide.ts';
        if (length < 2) return later(300, call('Grep', { pattern: agent === 'lamps' ? 'lamp' : 'tide' }));
        if (length < 4) return later(300, call('Read', { file_path: file }));
        return later(agent === 'lamps' ? forever : 700, text('The tide is 3.'));
      }
      return reply(
        text('Two of us look at the same time.'),
        call('Agent', {
          subagent_type: 'general-purpose',
          description: 'look through the lamps',
          prompt: 'Look through lamps',
        }),
        call('Agent', {
          subagent_type: 'general-purpose',
          description: 'look through the tides',
          prompt: 'Look through tides',
        }),
      );
    },
    keys: [
      ['what can go wrong at high tide?', /↳[\s\S]*↳/],
      ['and write a test for it', /waits for its turn[\s\S]*|2 calls/],
    ],
    until: /(2 calls[\s\S]*){2}/,
  },
  {
    name: 'chat-shell',
    title: 'clew chat: a shell command of the user, and an answer about its output',
    flags: '',
    script: [reply(text('The lamp: `src/lamp.ts` has **ten of the eleven lines**, and `src/tide.ts` has one.'))],
    keys: [
      ['!wc -l src/*.ts', /total/],
      ['which file is the longest?', /ten of the eleven[\s\S]*asks first/],
    ],
  },
  {
    name: 'chat-search',
    title: 'clew chat: the search in the history, and a long paste that is folded',
    flags: '',
    script: () => reply(text('Noted.')),
    keys: [
      ['why is the lamp dark at night?', /Noted[\s\S]*asks first/],
      ['is the lamp lit at dusk?', /dusk[\s\S]*Noted[\s\S]*asks first/],
      { text: 'find the hour in ', until: /find the hour/ },
      { paste: Array.from({ length: 500 }, (_, i) => `${i} lit`).join('\n'), until: /Pasted 500 lines/ },
      { key: 'Enter', until: /Pasted 500 lines[\s\S]*Noted[\s\S]*asks first/ },
      { key: 'C-r', until: /search:/ },
      { text: 'l', until: /search: l/ },
      { text: 'amp', until: /search: lamp/ },
    ],
  },
  {
    name: 'chat-transcript',
    title: 'clew chat: the whole conversation on its own screen, with the output of every call',
    flags: '--permission-mode acceptEdits',
    script: [look, reply(found, edit), reply(text('The lamp is lit from six to six now.'))],
    keys: [
      ['why is the lamp dark at night?', /six to six now[\s\S]*accepts edits/],
      { key: 'C-o', until: /Ctrl-O closes/ },
    ],
  },
  {
    name: 'chat-context',
    title: 'clew chat: what fills the context window, by category',
    flags: '',
    script: [look, reply(found)],
    keys: [
      ['why is the lamp dark at night?', /never true[\s\S]*asks first/],
      ['/context', /Free space[\s\S]*asks first/],
    ],
  },
  {
    name: 'chat-background',
    title: 'clew chat: a command in the background ends, and the model answers about it',
    flags: '--allowedTools "Bash(sh watch.sh)"',
    script: (request) => {
      const said = JSON.stringify(request.body?.messages ?? '');
      if (said.includes('task-notification'))
        return reply(text('The watch is over: the lamp **was lit all night**, and nothing else was seen.'));
      if (talk(request) > 1) return reply(text('The watch runs in the background. Ask me anything meanwhile.'));
      return reply(call('Bash', { command: 'sh watch.sh', description: 'Watch the lamp', run_in_background: true }));
    },
    keys: [['watch the lamp until the morning', /meanwhile[\s\S]*lit all night[\s\S]*asks first/]],
  },
];
