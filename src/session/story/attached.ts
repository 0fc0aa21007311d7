// What the client put next to the words of a prompt → a line about it and the text that it holds: the file that is open
// in the editor, the selected lines, diagnostics, a reminder.
import { counted } from '../../base/text/index.ts';
import { type AttachedContext, type Ref, StoryText } from '../items/index.ts';

/** `tag` is one whole tag of `splitPrompt`. */
export function attachedContext(tag: string, at: Ref): AttachedContext {
  const name = /^<([a-z_-]+)/.exec(tag)?.[1] ?? '';
  const text = tag.slice(tag.indexOf('>') + 1, tag.endsWith('>') ? tag.lastIndexOf('</') : undefined).trim();
  const whole = (source: AttachedContext['source'], label: string): AttachedContext => ({
    source,
    label,
    file: null,
    lines: null,
    text: new StoryText(text, 'note', at),
  });
  switch (name) {
    case 'ide_selection':
      return selection(text, at) ?? whole('ide-selection', 'selected in the editor');
    case 'ide_opened_file': {
      const file = /^The user opened the file (.+?) in the IDE\./s.exec(text)?.[1];
      if (file === undefined) return whole('opened-file', 'open in the editor');
      return {
        source: 'opened-file',
        label: 'open in the editor',
        file,
        lines: null,
        text: new StoryText('', 'note', at),
      };
    }
    case 'ide_diagnostics': {
      const counts = countDiagnostics(text);
      return whole('diagnostics', `diagnostics of the editor${counts === undefined ? '' : `: ${counts}`}`);
    }
    case 'post-tool-use-hook':
      return text.startsWith('<ide_diagnostics>') ? attachedContext(text, at) : whole('editor', 'context of a hook');
    case 'system-reminder':
      return whole('reminder', 'reminder for the model');
    default:
      return whole('editor', `context of the editor: ${name.replace(/^ide_/, '').replaceAll('_', ' ')}`);
  }
}

function selection(text: string, at: Ref): AttachedContext | undefined {
  const found = /^The user selected the lines? (\d{1,9}) to (\d{1,9}) from ([^\n]+?)[:.](?:\n|$)/.exec(text);
  if (found === null) return undefined;
  const [start, from, to, file = ''] = found;
  const selected = text.slice(start.length).replace(/\n*This may or may not be related to the current task\.$/, '');
  return {
    source: 'ide-selection',
    label: 'selected in the editor',
    file,
    lines: { from: Number(from), to: Number(to) },
    text: new StoryText(selected, 'note', at),
  };
}

/** `lines 3–9 of src/a.ts, selected in the editor`; paths below the working directory are relative. */
export function attachedLine({ label, file, lines }: AttachedContext, folder: string | undefined): string {
  if (file === null) return label;
  const name = folder !== undefined && file.startsWith(`${folder}/`) ? file.slice(folder.length + 1) : file;
  if (lines === null) return `${name}, ${label}`;
  const range = lines.from === lines.to ? `line ${lines.from}` : `lines ${lines.from}–${lines.to}`;
  return `${range} of ${name}, ${label}`;
}

/** `2 errors, 1 warning`; `undefined` if they are of another shape. */
function countDiagnostics(text: string): string | undefined {
  const severities = [...text.matchAll(/"severity":\s*"(\w{1,20})"/g)].map(([, severity = '']) =>
    severity.toLowerCase(),
  );
  if (severities.length === 0) return undefined;
  const kinds = [...new Set(severities)];
  return kinds.map((kind) => counted(severities.filter((each) => each === kind).length, kind)).join(', ');
}
