// Thinking, a plan, a to-do list, a pasted image, and a rewind that leaves a branch behind.
import { lighthousePng } from '../picture.mjs';
import { bash, createDisk, exitPlanMode, text, thinking, todos } from '../tools.mjs';
import { createTranscript } from '../transcript.mjs';

const root = '/home/ada/lighthouse';
const opus = 'claude-opus-4-5-20251101';
const sonnet = 'claude-sonnet-4-5-20250929';

const plan = `# Plan: a logo that is drawn, not loaded

1. Redraw the picture as SVG, 16 × 16, four colours
2. Put it into the page, so that it takes the theme's colours
3. Make \`favicon.svg\` from the same source
4. Let the beam turn, unless the reader prefers less motion`;

const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16" role="img" aria-label="Lighthouse">
  <g class="beam" fill="#ffd166">
    <path d="M6 4 0 3v3l6-1zM10 4l6-1v3l-6-1z"/>
  </g>
  <path fill="#c43c34" d="M6 3l2-2 2 2zM6 6h4v1H6zM5.5 9h5v2h-5zM4.5 13h7v2h-7z"/>
  <path fill="#f4f1e8" d="M6 3h1v3H6zM9 3h1v3H9zM6 7h4v2H6zM5.2 11h5.6v2H5.2zM2 15h12v1H2z"/>
</svg>
`;

const steps = [
  ['Redraw the picture as SVG', 'Redrawing the picture'],
  ['Put it into the layout', 'Putting it into the layout'],
  ['Make the favicon from the same file', 'Making the favicon'],
  ['Turn the beam, with care for reduced motion', 'Turning the beam'],
];
const withStatus = (...status) => steps.map(([content, activeForm], index) => [content, activeForm, status[index]]);

export function beaconLogo() {
  const s = createTranscript({
    name: 'beacon-logo',
    cwd: root,
    gitBranch: 'logo',
    start: '2026-03-11T16:25:12.000Z',
    model: opus,
    cache: '1h',
  });
  const disk = createDisk({});

  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: lighthousePng() } };
  s.prompt(
    [
      text('this is the logo I drew. I want it sharp at every size, and the beam should turn. make a plan first'),
      image,
    ],
    'plan',
  );
  s.respond(
    thinking(
      'A 16 by 16 drawing, flat colours, strong symmetry. Tracing it would give hundreds of points; drawing it again takes three paths. The beam has to be a group of its own if it is to turn. Reduced motion must be respected. The favicon cannot read page variables, so it needs literal colours.',
      s.ids.signature(),
    ),
    text('What a friendly tower. It is regular enough to draw by hand rather than trace.'),
    exitPlanMode(plan, '/home/ada/.claude/plans/gentle-turning-beam.md'),
  );
  s.respond(todos([], withStatus('in_progress', 'pending', 'pending', 'pending')));
  s.respond(disk.write(`${root}/themes/harbour/logo.svg`, svg));
  s.respond(
    todos(
      withStatus('in_progress', 'pending', 'pending', 'pending'),
      withStatus('completed', 'pending', 'pending', 'pending'),
    ),
  );
  s.respond(
    text(
      'The tower stands: three paths, 370 bytes, and the beam is a group of its own. Shall I turn it with a `<canvas>` or with CSS?',
    ),
  );
  const fork = s.leaf;

  s.wait(40);
  s.prompt('canvas, I guess?');
  s.respond(
    thinking(
      'Canvas would throw away what the SVG gives: sharpness and theme colours. Say so before doing it.',
      s.ids.signature(),
    ),
    text(
      'I can, but a canvas would have to be redrawn for every size and would not take the colours of the theme. That gives up both things you asked for.',
    ),
  );

  // The user goes back to the question and answers it differently; the other branch stays in the file.
  s.wait(25);
  s.rewindTo(fork);
  s.useModel(sonnet);
  s.prompt('CSS. and nothing should turn for people who asked for less motion', 'acceptEdits');
  s.respond(
    disk.write(
      `${root}/themes/harbour/beam.css`,
      `.beam {
  transform-origin: 8px 4.5px;
  animation: turn 6s linear infinite;
}

@keyframes turn {
  50% { transform: scaleX(0.15); opacity: 0.6; }
}

@media (prefers-reduced-motion: reduce) {
  .beam { animation: none; }
}
`,
    ),
    bash(
      'cp themes/harbour/logo.svg themes/harbour/favicon.svg && npx lighthouse check',
      'Make the favicon and check links',
      '63 pages, 0 broken links',
    ),
  );
  s.respond(
    todos(
      withStatus('completed', 'pending', 'pending', 'pending'),
      withStatus('completed', 'completed', 'completed', 'completed'),
    ),
  );
  s.respond(
    text(`## The beam turns

| file | what |
| --- | --- |
| \`logo.svg\` | the tower, three paths |
| \`beam.css\` | one turn in six seconds |
| \`favicon.svg\` | the same drawing |

A beam that *narrows and widens* looks like one that goes round, so there is nothing to redraw:

\`\`\`css
@keyframes turn {
  50% { transform: scaleX(0.15); opacity: 0.6; }
}
\`\`\`

With *reduced motion* the light stays on and stands still.`),
  );
  s.aiTitle('Draw the lighthouse logo as SVG');
  return s;
}
