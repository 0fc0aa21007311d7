// The pictures of `clew chat` in docs/pictures: node scripts/chat-shots.mjs [NAME…]. The built program runs in tmux, in a
// temporary home, with a scripted model; the screen becomes an SVG. COLUMNS and NO_COLOR come from the environment, and
// SHOTS sets another output folder.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startScriptedServer } from '../dist/index.mjs';
import { svgOf } from './shots/ansi-svg.mjs';
import { project, scenes } from './shots/scenes.mjs';

const here = fileURLToPath(new URL('..', import.meta.url));
const target = path.resolve(process.env.SHOTS ?? path.join(here, 'docs/pictures'));
const columns = Number(process.env.COLUMNS) || 88;
const rows = 46;
mkdirSync(target, { recursive: true });
const wanted = process.argv.slice(2);
for (const scene of scenes) if (wanted.length === 0 || wanted.includes(scene.name)) await shoot(scene);

async function shoot(scene) {
  const home = mkdtempSync(path.join(tmpdir(), 'clew-shot-'));
  const server = await startScriptedServer({ script: scene.script });
  const tmux = (...args) => {
    const env = {
      PATH: process.env.PATH,
      HOME: home,
      CLEW_HOME: path.join(home, '.clew'),
      CLEW_ROOTS: path.join(home, '.claude'),
      ANTHROPIC_BASE_URL: server.url,
      ANTHROPIC_API_KEY: 'none',
      TERM: 'xterm-256color',
      LC_ALL: 'C.UTF-8',
      PS1: '',
      NO_COLOR: process.env.NO_COLOR ?? '',
    };
    return spawnSync('tmux', ['-S', path.join(home, 'tmux'), '-f', '/dev/null', ...args], { encoding: 'utf8', env })
      .stdout;
  };
  try {
    for (const [name, content] of Object.entries(project)) {
      const file = path.join(home, 'lighthouse', name);
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, content);
    }
    spawnSync('git', ['init', '-q', '-b', 'main', path.join(home, 'lighthouse')]);
    tmux('new-session', '-d', '-s', 't', '-x', String(columns), '-y', String(rows), 'sh');
    const program = `cd ~/lighthouse; clear; '${process.execPath}' '${path.join(here, 'dist/clew.js')}' chat ${scene.flags}`;
    tmux('send-keys', '-t', 't', program, 'Enter');
    await shows(tmux, /(asks first|accepts edits)/);
    let last = /./;
    for (const step of scene.keys) {
      last = Array.isArray(step) ? step[1] : step.until;
      press(tmux, step);
      await shows(tmux, last);
    }
    await shows(tmux, scene.until ?? last);
    const captured = tmux('capture-pane', '-p', '-e', '-t', 't').replaceAll(home, '~');
    const place = tmux('display-message', '-p', '-t', 't', '#{cursor_x} #{cursor_y} #{cursor_flag}');
    const [column, row, isVisible] = place.split(' ').map(Number);
    const file = path.join(target, `${scene.name}.svg`);
    writeFileSync(
      file,
      svgOf(captured, { columns, cursor: isVisible === 1 ? { column, row } : undefined, title: scene.title }),
    );
    console.log(path.relative(process.cwd(), file));
  } finally {
    tmux('kill-server');
    await server.close();
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** A prompt and what it leads to, or `{ key, text, paste, until }`. */
function press(tmux, step) {
  const { key, text, paste } = Array.isArray(step) ? { text: step[0] } : step;
  if (paste !== undefined) {
    tmux('set-buffer', paste);
    tmux('paste-buffer', '-p', '-t', 't');
  }
  if (text !== undefined) tmux('send-keys', '-t', 't', '-l', text);
  if (key !== undefined) tmux('send-keys', '-t', 't', key);
  if (Array.isArray(step) && text.length > 1) tmux('send-keys', '-t', 't', 'Enter');
}

/** Waits until the screen shows it and stops changing, apart from the spinner. */
async function shows(tmux, wantedText) {
  let before = '';
  let shown = '';
  for (let tries = 0; tries < 600; tries++) {
    shown = tmux('capture-pane', '-p', '-t', 't');
    const still = shown.replace(/[\u2800-\u28ff]|\d+/g, '#');
    if (wantedText.test(shown) && still === before) return;
    before = still;
    await wait(100);
  }
  throw new Error(`the screen never showed ${wantedText}:\n${shown}`);
}
