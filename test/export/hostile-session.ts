// A session whose every text tries to break out of the page: tags, fences, backticks, headings, control sequences.
import { assistant, sessionText, toolResult, toolUse, user } from '../support/session-text.ts';

const esc = '\u001b';

/** As code it may be on the page; as HTML it must not. */
export const canary = '<img src=x onerror=canary()>';

const breakouts = [
  `plain ${canary} and <script>canary()</script>`,
  `an open \` backtick`,
  `\` ${canary} \``,
  `\`inline ${canary}\` is code`,
  `\\\`${canary}\``,
  `| a | b |\n| --- | --- |\n| \`x | ${canary}\` |`,
  `[link](javascript:canary()) [coded](&#106;avascript:canary()) [escaped](javascript\\:canary()) ![picture](https://tracker.example/x.png)`,
  `[swallowed](\`y)${canary}\``,
  `[ref]\n\n[ref]: javascript:canary()`,
  `- item\n  \`\`\`js\n${canary}\n  \`\`\`\n${canary}`,
  `- - ~~~\n    x\n    ~~~\n    ${canary}`,
  `~~~ \`\nx\n~~~\n${canary}`,
  `> \`\`\`\n> quoted\n${canary}`,
  `1. \`\`\`sh\n   ls\n   \`\`\`\n${canary}`,
  `    \`\`\`\n    ${canary}\n${canary}`,
  `words\n===\n\nmore words\n---\n\n# Fake top\n\n> # Fake quoted\n\n- # Fake listed`,
  '<!-- never closed',
  `</details>\n\n<style>*{display:none}</style>`,
  `${esc}[31mred${esc}[0m ${esc}]8;;https://evil.example\u0007link${esc}]8;;\u0007 \u202eright to left`,
  `\`\`\`\`js\n\`\`\`\n${canary}\n\`\`\`\`\n\nafter it`,
  `a fence that never ends\n\n\`\`\`\n${canary}`,
];

export function hostileSession(): string {
  const all = breakouts.join('\n\n');
  return sessionText([
    user(`# Not a turn\n\n${all}`),
    assistant(all),
    assistant([
      toolUse('toolu_1', `Bash</summary>${canary}`, { command: `echo \`\`\`\n${canary}`, more: canary }),
      toolUse('toolu_2', 'Bash', { command: `cat <<X\n${canary}\n\`\`\`\`\n</details>\nX` }),
      toolUse('toolu_3', 'TodoWrite', { todos: [{ content: `- [x] ${canary} \``, status: 'completed' }] }),
      toolUse('toolu_4', 'Read', { file_path: `/home/kim/project/a|b\`${canary}` }),
    ]),
    user([
      toolResult('toolu_1', `${esc}[1m\`\`\`\n</details>${canary}`),
      toolResult('toolu_2', Array.from({ length: 5000 }, (_, i) => `line ${i} ${canary}`).join('\n')),
      toolResult('toolu_3', canary, true),
      toolResult('toolu_4', canary),
    ]),
    assistant(`x`.repeat(10_000)),
    { type: 'system', subtype: 'api_error', error: { status: 529, message: `${canary}\n# Overloaded` } },
    user([{ type: 'text', text: `[Request interrupted by user]${canary}` }]),
  ]);
}
