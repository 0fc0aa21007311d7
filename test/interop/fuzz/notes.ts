// Attachments and hooks of a generated session, with and without the text that the client made of them.
import type { JsonObject } from '../../../src/base/json/json.ts';
import { imageBlock, type SessionWriter, textBlock } from './session-writer.ts';

export function addAttachment(writer: SessionWriter, model: string): void {
  const { dice } = writer;
  const attachment = dice.pick(kinds)(writer.next());
  if (dice.chance(0.5)) {
    writer.add('attachment', { attachment });
    return;
  }
  const text = `note ${writer.next()}`;
  const content = dice.chance(0.8) ? `<system-reminder>\n${text}\n</system-reminder>` : text;
  const isSystem = /opus-4-8|-5/.test(model) && dice.chance(0.5);
  writer.add('attachment', { attachment, rendered: [{ content }], ...(isSystem ? { renderedRole: 'system' } : {}) });
}

export function addHook(writer: SessionWriter): void {
  const number = writer.next();
  const hook = { hookName: 'PostToolUse:Bash', hookEvent: 'PostToolUse', toolUseID: `toolu_${number}` };
  const types = [
    'hook_success',
    'hook_additional_context',
    'hook_non_blocking_error',
    'hook_blocking_error',
    'hook_cancelled',
  ];
  const type = writer.dice.pick(types);
  const content = type === 'hook_additional_context' ? ['context'] : 'output';
  const error = type === 'hook_blocking_error' ? { blockingError: { blockingError: 'no', command: 'c' } } : {};
  writer.add('attachment', { attachment: { type, content, stdout: 'o', stderr: '', exitCode: 0, ...hook, ...error } });
}

const file = { filePath: '/w/a.txt', content: 'text', numLines: 1, startLine: 1, totalLines: 1 };

const kinds: readonly ((number: number) => JsonObject)[] = [
  (number) => ({ type: 'queued_command', prompt: `queued ${number}`, commandMode: 'prompt' }),
  (number) => ({
    type: 'queued_command',
    prompt: [textBlock(`queued ${number}`), imageBlock()],
    commandMode: 'prompt',
  }),
  () => ({ type: 'file', filename: '/w/a.txt', displayPath: 'a.txt', content: { type: 'text', file } }),
  () => ({
    type: 'file',
    filename: '/w/a.png',
    displayPath: 'a.png',
    content: {
      type: 'image',
      file: { base64: String((imageBlock().source as JsonObject).data), type: 'image/png', originalSize: 70 },
    },
  }),
  () => ({ type: 'directory', path: '/w', displayPath: 'w', content: 'a.txt' }),
  () => ({ type: 'edited_text_file', filename: '/w/a.txt', snippet: '1 x' }),
  () => ({ type: 'todo_reminder', content: [], itemCount: 0 }),
  () => ({ type: 'task_reminder', content: [], itemCount: 0 }),
  () => ({
    type: 'nested_memory',
    path: '/w/CLAUDE.md',
    displayPath: 'CLAUDE.md',
    content: { path: '/w/CLAUDE.md', type: 'Project', content: 'be nice' },
  }),
  () => ({ type: 'plan_mode', reminderType: 'full', isSubAgent: false, planFilePath: '/w/plan.md', planExists: false }),
  () => ({ type: 'date_change', newDate: '2026-05-02' }),
  () => ({ type: 'skill_listing', content: '- a: b', skillCount: 1, isInitial: true }),
  () => ({ type: 'command_permissions', allowedTools: [] }),
  () => ({ type: 'opened_file_in_ide', filename: '/w/a.txt' }),
  () => ({
    type: 'selected_lines_in_ide',
    ideName: 'x',
    filename: '/w/a.txt',
    displayPath: 'a.txt',
    lineStart: 1,
    lineEnd: 2,
    content: 'x',
  }),
  () => ({ type: 'output_style', style: 'Explanatory' }),
  () => ({ type: 'diagnostics', files: [{ uri: 'file:///w/a.ts', diagnostics: [] }], isNew: true }),
  (number) => ({ type: `new_kind_${number % 3}`, value: number }),
];
