// Code and its language → coloured words. The languages are in a chunk of their own, loaded with the first code.
// The library returns HTML; it is parsed into words and classes here, so that no HTML reaches the page.
import type { HLJSApi } from 'highlight.js';

export interface CodeWord {
  readonly text: string;
  readonly className: string;
}

export type Highlighter = (code: string, language: string) => readonly CodeWord[] | undefined;

const maxChars = 30_000;
let loading: Promise<Highlighter> | undefined;
let loaded: Highlighter | undefined;

export function currentHighlighter(): Highlighter | undefined {
  return loaded;
}

export function loadHighlighter(): Promise<Highlighter> {
  loading ??= import('./highlight-languages.ts').then(({ hljs }) => {
    loaded = makeHighlighter(hljs);
    return loaded;
  });
  return loading;
}

function makeHighlighter(hljs: HLJSApi): Highlighter {
  return (code, language) => {
    if (code.length > maxChars || hljs.getLanguage(language) === undefined) return undefined;
    try {
      return readWords(hljs.highlight(code, { language, ignoreIllegals: true }).value);
    } catch {
      return undefined; // a grammar that stumbles leaves the code as it is
    }
  };
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#x27': "'" };

export function readWords(html: string): readonly CodeWord[] {
  const words: CodeWord[] = [];
  const classes: string[] = [];
  for (const [, opened, closed, text] of html.matchAll(/<span class="([^"<>]*)">|(<\/span>)|([^<]+)/g)) {
    if (opened !== undefined) classes.push(opened);
    else if (closed !== undefined) classes.pop();
    else if (text !== undefined) {
      const shown = text.replace(/&(amp|lt|gt|quot|#x27);/g, (_, name: string) => entities[name] ?? '');
      words.push({ text: shown, className: classes.at(-1) ?? '' });
    }
  }
  return words;
}

const byExtension: Readonly<Record<string, string>> = {
  bash: 'bash',
  c: 'cpp',
  cc: 'cpp',
  cjs: 'javascript',
  cpp: 'cpp',
  cs: 'csharp',
  css: 'css',
  go: 'go',
  h: 'cpp',
  html: 'xml',
  java: 'java',
  js: 'javascript',
  json: 'json',
  jsonl: 'json',
  jsx: 'javascript',
  kt: 'java',
  md: 'markdown',
  mjs: 'javascript',
  py: 'python',
  rb: 'ruby',
  rs: 'rust',
  scss: 'css',
  sh: 'bash',
  sql: 'sql',
  svg: 'xml',
  toml: 'ini',
  ts: 'typescript',
  tsx: 'typescript',
  vue: 'xml',
  xml: 'xml',
  yaml: 'yaml',
  yml: 'yaml',
  zsh: 'bash',
};

export function languageOfFile(file: string): string {
  const extension = /\.([A-Za-z]{1,6})$/.exec(file)?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(byExtension, extension) ? (byExtension[extension] ?? '') : '';
}
