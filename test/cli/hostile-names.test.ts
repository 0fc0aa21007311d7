// Names that steer a terminal, wherever a command may print one: of transcripts, ids, folders, titles, tags, branches and
// arguments. Only the colours that Clew paints itself reach the terminal.
import assert from 'node:assert/strict';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { type Run, runClew } from '../support/clew.ts';
import { assistant, sessionText, toolUse, user } from '../support/session-text.ts';
import { temporaryFolder, writeTree } from '../support/temp-folder.ts';

/** Writes to the clipboard, hides text, sets the title, turns the direction of text. */
const attack = '\x1b]52;c;ZXZpbA==\x07\x1b[8m\x1b]0;owned\x1b\\\x9b8m\u202e';
const id = `eeeeeeee-${attack}-1`;
const secret = `AK${'IA'}Q7ZR3MTW5XK2VB4N`;

/** `FILE` is the transcript, `OUT` a folder that does not exist yet. */
const commands: readonly (readonly string[])[] = [
  ['ls'],
  ['ls', '--ids'],
  ['ls', '--expiring'],
  ['ls', '--project', `x${attack}`],
  ['ls', '--json'],
  ['show', 'FILE', '--full'],
  ['show', `no${attack}`],
  ['messages', 'FILE'],
  ['find', 'canary'],
  ['find', `nothing${attack}`],
  ['index'],
  ['usage', 'session', '--breakdown'],
  ['usage', 'project'],
  ['usage', '--receipts'],
  ['stats'],
  ['doctor', 'FILE'],
  ['doctor', 'FILE', '--fix', '--dry-run'],
  ['doctor', '--all'],
  ['redact', '--check', '--all'],
  ['redact', 'FILE', '--dry-run'],
  ['archive', '--dry-run'],
  ['archive'],
  ['archive', '--list'],
  ['archive', '--verify'],
  ['restore', 'FILE', '--dry-run'],
  ['rm', 'FILE', '--dry-run'],
  ['fork', 'FILE'],
  ['strip', 'FILE'],
  ['strip', 'FILE', '--tools', '--dry-run'],
  ['compress', 'FILE', '--keep-turns', '1', '--dry-run'],
  ['rewind', 'FILE', '--to', '1', '--dry-run'],
  ['split', 'FILE', '--at', '1', '--dry-run'],
  ['move', 'FILE', '--to', `/w/${attack}`, '--dry-run'],
  ['rename', 'FILE', `canary ${attack}`],
  ['tag', 'FILE', `canary${attack}`],
  ['bundle', 'FILE', '-o', 'OUT.clew'],
  ['export', 'FILE'],
  ['export', 'FILE', '-o', 'OUT.md'],
  ['export', '--all', '--format', 'parquet', '-o', 'OUT'],
  ['history'],
  ['undo', '--dry-run'],
  ['undo', `none${attack}`],
  ['trace', 'explain', 'FILE'],
  ['cat', `no${attack}`],
  [`no-such${attack}`],
  ['ls', `--no${attack}`],
];

for (const color of ['0', '1'])
  test(`no command prints what steers a terminal${color === '1' ? ', in colour' : ''}`, (context) => {
    const run = library(context, color);
    const faults = commands.flatMap((args, i) => {
      const { status, stdout, stderr } = run(i, args);
      const name = args.map((word) => JSON.stringify(word)).join(' ');
      assert.notEqual(status, 70, `${name}: ${stderr}`);
      assert.notEqual(`${stdout}${stderr}`, args[1] === '--ids' ? undefined : '', `${name} prints nothing`);
      const printed = `${stdout}${stderr}`.replaceAll(ownColors, '');
      const at = printed.search(steering);
      return at < 0 ? [] : [`${name}: ${JSON.stringify(printed.slice(Math.max(0, at - 40), at + 40))}`];
    });
    assert.deepEqual(faults, []);
  });

/** The sixteen colours and styles of terminal/style.ts; 8, which hides text, is not one of them. */
const ownColors = /\x1b\[(?:1|2|3|4|7|22|23|24|27|3[1-6]|39|90)m/g;
const steering = /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

function library(context: TestContext, color: string): (call: number, args: readonly string[]) => Run {
  const temp = temporaryFolder(context);
  const root = path.join(temp, `root ${attack.replaceAll('\\', '')}`);
  const slug = `-w-${attack.replaceAll('/', '')}`;
  const file = path.join(root, 'projects', slug, `${id}.jsonl`);
  const lines = [
    user(`canary ${attack} ${secret}`),
    assistant([toolUse(`call${attack}`, `Bash${attack}`, { command: `echo ${attack}` })], {
      gitBranch: `main${attack}`,
    }),
    user(`again ${attack}`),
    assistant(`done ${attack}`, { message: { model: `model${attack}`, usage: { input_tokens: 1, output_tokens: 1 } } }),
    { type: 'custom-title', customTitle: `canary title ${attack}` },
    { type: 'tag', tag: `canary tag ${attack}` },
  ];
  writeTree(root, {
    [path.relative(root, file)]: sessionText(lines, { sessionId: id, cwd: `/w/${attack}` }),
    [`projects/${slug}/broken${attack.replaceAll('/', '')}.jsonl`]: `{"type":"user"\n`,
  });
  const env = { CLEW_HOME: path.join(temp, 'state'), CLEW_ROOTS: root, NO_COLOR: '', FORCE_COLOR: color, COLUMNS: '' };
  return (call, args) => {
    const words = args.map((word) => word.replace('FILE', file).replace('OUT', path.join(temp, `out-${call}`)));
    return runClew(words, { env });
  };
}
