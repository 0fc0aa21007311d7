// A shell command → what its text proves about files: here-documents and echoes with their content, substitutions by sed,
// patches, moves; and the files that it may have changed in a way that the text does not show.
import path from 'node:path';
import type { EditAction } from './file-edit.ts';
import { readPatch } from './patch-text.ts';
import { readCommands, type SimpleCommand } from './shell-words.ts';

export interface ShellEffects {
  readonly edits: readonly { readonly path: string; readonly action: EditAction }[];
  readonly moves: readonly { readonly from: string; readonly to: string }[];
}

export function effectsOf(command: string, cwd: string): ShellEffects {
  const effects = new Effects(cwd);
  let previous: SimpleCommand | undefined;
  for (const each of readCommands(command)) {
    effects.add(each, previous?.isPiped === true ? previous : undefined);
    previous = each;
  }
  return effects;
}

/** Programs that can be given as text, or change the files that they are given with `-i`. */
const interpreters: ReadonlySet<string> = new Set([
  'perl',
  'ruby',
  'python',
  'python3',
  'node',
  'awk',
  'gawk',
  'ed',
  'ex',
]);

class Effects implements ShellEffects {
  readonly edits: { path: string; action: EditAction }[] = [];
  readonly moves: { from: string; to: string }[] = [];
  #cwd: string;

  constructor(cwd: string) {
    this.#cwd = cwd;
  }

  add({ words, output, input, isPiped }: SimpleCommand, from: SimpleCommand | undefined): void {
    const [name = '', ...rest] = withoutPrefix(words);
    if (output !== undefined) this.#addOutput({ words, output, input, isPiped });
    const given = input ?? (from === undefined ? undefined : printedBy(from));
    if (name === 'cd') this.#cwd = path.resolve(this.#cwd, rest[0] ?? '');
    else if (name === 'tee') this.#addTee(rest, given);
    else if (name === 'mv') this.#addMove(rest);
    else if (name === 'cp' || name === 'install' || name === 'ln') this.#addOpaque(rest.slice(-1));
    else if (name === 'sed') this.#addSed(rest);
    else if (name === 'patch') this.#addPatch(given, rest);
    else if (name === 'git') this.#addGit(rest, given);
    else if (interpreters.has(name)) this.#addProgram(name, rest, input);
  }

  #addOutput(command: SimpleCommand): void {
    const { output } = command;
    if (output === undefined || output.path.includes('\0')) return;
    const text = printedBy(command);
    if (text === undefined) this.#add(output.path, { kind: 'opaque' });
    else this.#add(output.path, { kind: output.isAppended ? 'append' : 'content', text });
  }

  #addTee(words: readonly string[], text: string | undefined): void {
    const isAppended = words.some((word) => word === '-a' || word === '--append');
    for (const file of words.filter((word) => !word.startsWith('-'))) {
      this.#add(file, text === undefined ? { kind: 'opaque' } : { kind: isAppended ? 'append' : 'content', text });
    }
  }

  #addMove(words: readonly string[]): void {
    const files = words.filter((word) => !word.startsWith('-'));
    const to = files.pop();
    if (to === undefined || to.includes('\0')) return;
    const isFolder = files.length > 1 || to.endsWith('/');
    for (const from of files) {
      if (from.includes('\0')) continue;
      const target = path.resolve(this.#cwd, to);
      this.moves.push({
        from: path.resolve(this.#cwd, from),
        to: isFolder ? path.join(target, path.basename(from)) : target,
      });
    }
  }

  #addSed(words: readonly string[]): void {
    if (!words.some((word) => /^-[a-zA-Z]*i|^--in-place/.test(word))) return;
    const scripts: string[] = [];
    const files: string[] = [];
    for (let i = 0; i < words.length; i++) {
      const word = words[i] as string;
      if (word === '-e' || word === '--expression') scripts.push(words[++i] ?? '');
      else if (word.startsWith('-') || word === '') continue;
      else if (scripts.length === 0) scripts.push(word);
      else files.push(word);
    }
    const isExtended = words.some((word) => /^-[a-zA-Z]*[Er]/.test(word));
    for (const file of files) {
      for (const script of scripts) this.#add(file, substitution(script, isExtended) ?? { kind: 'opaque' });
    }
  }

  #addGit(words: readonly string[], input: string | undefined): void {
    let at = 0;
    let cwd = this.#cwd;
    for (; words[at]?.startsWith('-'); at++) if (words[at] === '-C') cwd = path.resolve(cwd, words[++at] ?? '');
    const outer = this.#cwd;
    this.#cwd = cwd;
    if (words[at] === 'mv') this.#addMove(words.slice(at + 1));
    if (words[at] === 'apply') this.#addPatch(input, []);
    this.#cwd = outer;
  }

  #addPatch(text: string | undefined, words: readonly string[]): void {
    if (text === undefined) {
      this.#addOpaque(words);
      return;
    }
    for (const { path: file, content, replacements, movedFrom } of readPatch(text)) {
      const action: EditAction =
        content === undefined ? { kind: 'replace', replacements } : { kind: 'content', text: content };
      if (movedFrom !== undefined)
        this.moves.push({ from: path.resolve(this.#cwd, movedFrom), to: path.resolve(this.#cwd, file) });
      this.#add(file, action);
    }
  }

  #addProgram(name: string, words: readonly string[], input: string | undefined): void {
    if (name === 'ed' || name === 'ex' || words.some((word) => /^-[a-z]*i/.test(word))) this.#addOpaque(words);
    const code = words.findIndex((word) => /^-[a-z]*[ce]$/.test(word));
    const text = `${code < 0 ? '' : (words[code + 1] ?? '')}\n${input ?? ''}`;
    if (/write|open|rename|save|dump/i.test(text)) this.#addOpaque(pathsIn(text));
  }

  #addOpaque(files: readonly string[]): void {
    for (const file of files) if (!file.startsWith('-')) this.#add(file, { kind: 'opaque' });
  }

  #add(file: string, action: EditAction): void {
    if (file === '' || file === '/dev/null' || /[\0\n]/.test(file)) return;
    this.edits.push({ path: path.resolve(this.#cwd, file), action });
  }
}

function withoutPrefix(words: readonly string[]): readonly string[] {
  const from = words.findIndex((word) => !/^\w+=/.test(word) && !['sudo', 'command', 'env', 'time'].includes(word));
  return from < 0 ? [] : words.slice(from);
}

/** Names of files in the text of a program. */
function pathsIn(text: string): readonly string[] {
  return [...text.matchAll(/['"]([^'"\n\0]{1,300})['"]/g)].map((found) => found[1] as string);
}

/** What a command prints, if its text says so. */
function printedBy({ words, input }: SimpleCommand): string | undefined {
  const [name, ...rest] = withoutPrefix(words);
  switch (name) {
    case 'cat':
      return rest.every((word) => word === '-') ? input : undefined;
    case 'echo': {
      const flags = rest.findIndex((word) => !/^-[neE]+$/.test(word));
      const options = rest.slice(0, flags < 0 ? rest.length : flags).join('');
      const text = rest.slice(flags < 0 ? rest.length : flags).join(' ');
      return (options.includes('e') ? unescaped(text) : text) + (options.includes('n') ? '' : '\n');
    }
    case 'printf': {
      const [format = '', ...values] = rest;
      if (!format.includes('%')) return unescaped(format);
      if (/^%s\\n$/.test(format)) return values.map((value) => `${value}\n`).join('');
      return format === '%s' ? values.join('') : undefined;
    }
    default:
      return undefined;
  }
}

function unescaped(text: string): string {
  return text.replace(/\\([nt\\])/g, (_, char: string) => (char === 'n' ? '\n' : char === 't' ? '\t' : '\\'));
}

/** `s/a/b/g`, if it means the same to JavaScript. */
function substitution(script: string, isExtended: boolean): EditAction | undefined {
  const found = /^s([/|#,@!])((?:\\.|(?!\1)[^\\])*)\1((?:\\.|(?!\1)[^\\])*)\1([gI]*)$/s.exec(script.trim());
  if (found === null) return undefined;
  const [, mark = '/', pattern = '', by = '', flags = ''] = found;
  if (pattern.length > 500 || /\0/.test(pattern + by)) return undefined;
  const source = pattern.replaceAll(`\\${mark}`, mark);
  const translated = isExtended ? source : source.replace(/\\?[+?(){}|]/g, swapEscape);
  // Nested repetition could take forever on a hostile pattern.
  if (/[*+}]\)?[*+{]|\)[*+{]/.test(translated)) return undefined;
  try {
    const regex = new RegExp(translated, `${flags.includes('g') ? 'g' : ''}${flags.includes('I') ? 'i' : ''}`);
    const text = by.replaceAll('$', '$$$$').replace(/\\(.)|&/gs, (all, char?: string) => {
      if (char === undefined) return '$&';
      if (/\d/.test(char)) return `$${char}`;
      return char === 'n' ? '\n' : all === '\\&' ? '&' : char;
    });
    return { kind: 'substitute', pattern: regex, by: text };
  } catch {
    return undefined;
  }
}

/** In a basic expression `(` is a letter and `\(` a group; in JavaScript the other way round. */
function swapEscape(text: string): string {
  return text.length === 2 ? text.slice(1) : `\\${text}`;
}
