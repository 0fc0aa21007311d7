// A session that was compacted in the middle and named by its user.
import { bash, createDisk, text } from '../tools.mjs';
import { createTranscript } from '../transcript.mjs';

const root = '/home/ada/lighthouse';
const styles = `${root}/themes/harbour/style.css`;
const layout = `${root}/themes/harbour/layout.html`;

const files = {
  [styles]: `:root {
  --ink: #1c2440;
  --paper: #fbf9f4;
  --lamp: #c43c34;
}

body {
  color: var(--ink);
  background: var(--paper);
}
`,
  [layout]: `<!doctype html>
<html lang="{{ lang }}">
  <head>
    <title>{{ title }}</title>
    <link rel="stylesheet" href="/style.css">
  </head>
  <body>{{ content }}</body>
</html>
`,
};

const summary = `Summary of the conversation so far.

1. Request: the theme "harbour" gets a dark mode. It follows the system by default; a button lets the reader choose.
2. Done: \`themes/harbour/style.css\` has a dark palette under \`@media (prefers-color-scheme: dark)\`; contrast was checked (13.2:1 or more for ink, 4.9:1 or more for the lamp).
3. Decided: no flash of the wrong colours on load; the choice is kept in localStorage under "harbour"; no dependency.
4. Next: let \`data-theme\` on <html> win over the system, then the button in \`themes/harbour/layout.html\`.`;

export function darkMode() {
  const s = createTranscript({
    name: 'dark-mode',
    cwd: root,
    gitBranch: 'harbour-dark',
    start: '2026-03-07T21:02:48.000Z',
    model: 'claude-sonnet-4-5-20250929',
    cache: '5m',
  });
  const disk = createDisk(files);

  s.prompt('the harbour theme needs a dark mode. follow the system, but let readers choose');
  s.respond(text('I will start with the colours, since everything else hangs on them.'), disk.read(styles));
  s.respond(
    disk.edit(
      styles,
      `body {
  color`,
      `@media (prefers-color-scheme: dark) {
  :root {
    --ink: #e8e4d8;
    --paper: #141b3d;
    --lamp: #ffd166;
  }
}

body {
  color`,
    ),
  );
  s.respond(
    text('At night the paper becomes the sea and the lamp turns from red to yellow. The page follows the system now.'),
  );

  s.wait(180);
  s.prompt('is the contrast ok?');
  s.respond(
    bash(
      'node scripts/contrast.mjs themes/harbour/style.css',
      'Check contrast of both palettes',
      'light  ink/paper 14.5:1  lamp/paper 4.9:1\ndark   ink/paper 13.2:1  lamp/paper 11.6:1',
    ),
  );
  s.respond(
    text(`Yes. AA asks for 4.5:1:

| | ink on paper | lamp on paper |
| --- | ---: | ---: |
| light | 14.5 | 4.9 |
| dark | 13.2 | 11.6 |`),
  );

  s.wait(2_400);
  s.compact(156_804, summary);
  s.wait(12);
  s.prompt('go on with the button');
  s.respond(disk.read(layout), disk.read(styles));
  s.respond(
    disk.edit(
      styles,
      `@media (prefers-color-scheme: dark) {
  :root {`,
      `:root[data-theme='dark'] {
  --ink: #e8e4d8;
  --paper: #141b3d;
  --lamp: #ffd166;
}

@media (prefers-color-scheme: dark) {
  :root:not([data-theme='light']) {`,
    ),
    disk.edit(
      layout,
      `    <link rel="stylesheet" href="/style.css">
  </head>
  <body>{{ content }}</body>`,
      `    <script>
      // Before the first paint, so that the page never flashes in the wrong colours.
      const chosen = localStorage.getItem('harbour');
      if (chosen) document.documentElement.dataset.theme = chosen;
    </script>
    <link rel="stylesheet" href="/style.css">
  </head>
  <body>
    <button id="lamp" aria-label="Switch between day and night">☀︎/☾</button>
    {{ content }}
    <script src="/lamp.js" defer></script>
  </body>`,
    ),
    disk.write(
      `${root}/themes/harbour/lamp.js`,
      `const night = matchMedia('(prefers-color-scheme: dark)');

document.getElementById('lamp').addEventListener('click', () => {
  const { dataset } = document.documentElement;
  const current = dataset.theme ?? (night.matches ? 'dark' : 'light');
  dataset.theme = current === 'dark' ? 'light' : 'dark';
  localStorage.setItem('harbour', dataset.theme);
});
`,
    ),
  );
  s.respond(
    text(`The lamp has a switch:

- **system first** – without a choice, the page follows the system
- **the reader wins** – \`data-theme\` on \`<html>\` beats the media query
- **no flash** – the choice is applied before the stylesheet loads
- **no dependency** – 8 lines in \`lamp.js\`

> Try it with the network throttled: that is where a flash would show.`),
  );

  s.wait(64);
  s.prompt('perfect, commit it');
  s.respond(
    bash(
      'git add -A && git commit -q -m "harbour: dark mode with a switch" && git log -1 --oneline --stat',
      'Commit the theme',
      `4be1c07 harbour: dark mode with a switch
 themes/harbour/lamp.js     |  8 ++++++++
 themes/harbour/layout.html | 11 ++++++++++-
 themes/harbour/style.css   | 14 ++++++++++++++
 3 files changed, 32 insertions(+), 1 deletion(-)`,
    ),
  );
  s.respond(text('Committed as `4be1c07`.'));
  s.customTitle('dark mode for harbour');
  return s;
}
