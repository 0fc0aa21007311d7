// Parallel tool calls, one of them a sub-agent with its own transcript.
import { agent, bash, createDisk, glob, grep, text } from '../tools.mjs';
import { createTranscript } from '../transcript.mjs';

const root = '/home/ada/lighthouse';
const highlight = `${root}/src/render/highlight.ts`;

const files = {
  [highlight]: `import { createHighlighter } from 'shiki';
import { theme } from '../theme.js';

export async function highlightCode(code: string, language: string): Promise<string> {
  const highlighter = await createHighlighter({ themes: [theme], langs: [language] });
  return highlighter.codeToHtml(code, { lang: language, theme: theme.name });
}
`,
  [`${root}/src/build.ts`]: `import { readPages } from './pages.js';
import { renderPage } from './render/page.js';
import { writeFile } from './disk.js';

export async function build(from: string, to: string): Promise<number> {
  const pages = await readPages(from);
  for (const page of pages) {
    await writeFile(to, page.address, await renderPage(page));
  }
  return pages.length;
}
`,
};

export function slowBuild() {
  const s = createTranscript({
    name: 'slow-build',
    cwd: root,
    gitBranch: 'main',
    start: '2026-03-04T19:40:31.000Z',
    model: 'claude-opus-4-5-20251101',
    cache: '1h',
  });
  const disk = createDisk(files);

  s.prompt('why does `lighthouse build` take 9 seconds for 400 posts? find out first, change nothing yet');
  s.respond(
    text(
      'Three looks at once: a profile of the build, every use of the highlighter, and a reader who follows one page from file to HTML.',
    ),
    bash(
      'node --cpu-prof dist/cli.js build && node scripts/prof-top.mjs',
      'Profile a full build',
      `400 pages in 9.12 s
 71.4 %  createHighlighter   src/render/highlight.ts
 11.0 %  parseMarkdown       src/render/markdown.ts
  6.3 %  writeFile           src/disk.ts
 11.3 %  (everything else)`,
      9_800,
    ),
    grep('highlightCode', ['src/render/highlight.ts', 'src/render/markdown.ts', 'test/highlight.test.ts']),
    agent(
      'Explore',
      'Follow one page',
      'Follow one page of the blog from its Markdown file to the HTML on disk. Name every step that is done once per page but could be done once per build. Change nothing.',
      (toolUseId) => exploreBuild(s, disk, toolUseId),
    ),
  );
  s.respond(
    text(`# Where the nine seconds go

| step | share | once per… | could be once per… |
| --- | ---: | --- | --- |
| start the highlighter | 71 % | code block | **build** |
| parse Markdown | 11 % | page | page |
| write files | 6 % | page, one after the other | page, all at once |
| the rest | 11 % | | |

The highlighter is built **again for every code block** (1,130 of them), and each time it loads its grammar from disk.

Suggestions, best first:

1. Keep one highlighter for the whole build. *Expected: about 6 s saved, ten lines changed.*
2. Render pages side by side (\`Promise.all\` with a small limit). *About 1 s.*
3. Skip pages whose source did not change. *The most, but it needs a cache that can be wrong; I would wait.*`),
  );

  s.wait(210);
  s.prompt('do the first one');
  s.respond(
    disk.edit(
      highlight,
      `export async function highlightCode(code: string, language: string): Promise<string> {
  const highlighter = await createHighlighter({ themes: [theme], langs: [language] });
`,
      `// Starting a highlighter takes 6 ms and a grammar from disk; a build has a thousand code blocks.
const shared = createHighlighter({ themes: [theme], langs: [] });

export async function highlightCode(code: string, language: string): Promise<string> {
  const highlighter = await shared;
  await highlighter.loadLanguage(language);
`,
    ),
  );
  s.respond(
    bash(
      'npm test && node dist/cli.js build',
      'Run the tests and a full build',
      'ℹ pass 148\nℹ fail 0\n400 pages in 2.71 s',
      7_400,
    ),
  );
  s.respond(text('**9.1 s → 2.7 s**, all 148 tests pass. The keeper can go back to sleep.'));
  s.aiTitle('Find out why the build is slow');
  return s;
}

function exploreBuild(parent, disk, toolUseId) {
  const id = `a${parent.ids.hex(16)}`;
  const sub = createTranscript({
    name: 'slow-build explore',
    cwd: root,
    gitBranch: 'main',
    start: parent.now,
    model: 'claude-sonnet-4-5-20250929',
    cache: '5m',
    agent: { id, type: 'Explore', sessionId: parent.sessionId, promptId: parent.promptId },
  });
  sub.prompt(
    'Follow one page of the blog from its Markdown file to the HTML on disk. Name every step that is done once per page but could be done once per build. Change nothing.',
  );
  sub.respond(
    glob('src/**/*.ts', [
      'src/build.ts',
      'src/disk.ts',
      'src/pages.ts',
      'src/render/highlight.ts',
      'src/render/markdown.ts',
      'src/render/page.ts',
    ]),
  );
  sub.respond(disk.read(`${root}/src/build.ts`), disk.read(highlight));
  const answer = `Once per page, but could be once per build:

- \`highlight.ts:5\` starts a highlighter for **every code block**, not even once per page.
- \`build.ts:7\` waits for each page before it starts the next.

Everything else depends on the page itself.`;
  const { usage } = sub.respond(text(answer));
  const { totalTokens, calls } = sub.spent;
  parent.attach(`subagents/agent-${id}.jsonl`, sub.text());
  parent.attach(
    `subagents/agent-${id}.meta.json`,
    JSON.stringify({ agentType: 'Explore', description: 'Follow one page', toolUseId }),
  );
  const durationMs = Date.parse(sub.now) - Date.parse(parent.now);
  parent.wait(durationMs / 1000);
  return { agentId: id, answer, durationMs, totalTokens, calls, usage };
}
