// Converts a web page to Markdown for the model: headings, lists, links, code and tables, without scripts and styles.
import { Tokenizer } from 'htmlparser2';

/** Uses only the tokenizer: 200,000 nested tags take the parser of htmlparser2 14 s of CPU. */
export function htmlToMarkdown(html: string, base: URL): string {
  const writer = new MarkdownWriter(base);
  let tag = '';
  let attributes = new Map<string, string>();
  let attribute = '';
  let value = '';
  let skippedTag: string | undefined;
  const write = (text: string): void => {
    if (skippedTag === undefined) writer.writeText(text);
  };
  const open = (): void => {
    if (skippedTag !== undefined) return;
    if (skipped.has(tag)) skippedTag = tag;
    else writer.open(tag, attributes);
  };
  const ignore = (): void => undefined;
  const tokenizer = new Tokenizer(
    {},
    {
      ontext: (start, end) => write(html.slice(start, end)),
      ontextentity: (code) => write(String.fromCodePoint(code)),
      onopentagname: (start, end) => {
        tag = html.slice(start, end).toLowerCase();
        attributes = new Map();
      },
      onattribname: (start, end) => {
        attribute = html.slice(start, end).toLowerCase();
        value = '';
      },
      onattribdata: (start, end) => {
        value += html.slice(start, end);
      },
      onattribentity: (code) => {
        value += String.fromCodePoint(code);
      },
      onattribend: () => {
        if ((attribute === 'href' || attribute === 'alt') && !attributes.has(attribute))
          attributes.set(attribute, value);
      },
      onopentagend: open,
      onselfclosingtag: open,
      onclosetag: (start, end) => {
        const name = html.slice(start, end).toLowerCase();
        if (skippedTag === undefined) writer.close(name);
        else if (skippedTag === name) skippedTag = undefined;
      },
      oncdata: ignore,
      oncomment: ignore,
      ondeclaration: ignore,
      onprocessinginstruction: ignore,
      onend: ignore,
    },
  );
  tokenizer.write(html);
  tokenizer.end();
  return writer.finish();
}

const skipped: ReadonlySet<string> = new Set(
  'script style noscript template svg iframe object select canvas'.split(' '),
);
const blockNames =
  'p div section article header footer main nav aside ul ol dl dt dd table blockquote form figure figcaption details summary address fieldset body title h1 h2 h3 h4 h5 h6';
const blocks: ReadonlySet<string> = new Set(blockNames.split(' '));
const marks: Readonly<Record<string, string>> = { strong: '**', b: '**', em: '*', i: '*', code: '`', kbd: '`' };
const maxIndent = 8;
const maxHrefChars = 2000;

class MarkdownWriter {
  private readonly pieces: string[] = [];
  private readonly lists: { readonly isOrdered: boolean; count: number }[] = [];
  private link: { readonly start: number; readonly href: string } | undefined;
  private preDepth = 0;
  /** Whether a space here would start a line or follow another space. */
  private isAfterSpace = true;
  private readonly base: URL;

  constructor(base: URL) {
    this.base = base;
  }

  finish(): string {
    this.endLink();
    const text = this.pieces
      .join('')
      .toWellFormed()
      .replace(/[\0\u00ad]/g, '');
    return text
      .replace(/[^\S\n]{1,256}\n/g, '\n')
      .replace(/\n{3,}/g, '\n\n')
      .trim();
  }

  open(name: string, attributes: ReadonlyMap<string, string>): void {
    switch (name) {
      case 'a':
        this.startLink(attributes.get('href'));
        break;
      case 'br':
        this.write('\n');
        break;
      case 'hr':
        this.write('\n\n---\n\n');
        break;
      case 'img':
        this.writeImage(attributes.get('alt'));
        break;
      case 'li':
        this.startItem();
        break;
      case 'pre':
        if (this.preDepth++ === 0) this.write('\n\n```\n');
        break;
      case 'tr':
        this.write('\n| ');
        break;
      default:
        this.openBlock(name);
    }
  }

  private openBlock(name: string): void {
    if (blocks.has(name) && this.preDepth === 0) this.write('\n\n');
    if (name === 'ul' || name === 'ol') this.lists.push({ isOrdered: name === 'ol', count: 0 });
    if (/^h[1-6]$/.test(name)) this.write(`${'#'.repeat(Number(name[1]))} `);
    this.mark(name);
  }

  close(name: string): void {
    if (name === 'a') this.endLink();
    else if (name === 'td' || name === 'th') this.write(' | ');
    else if (name === 'pre' && this.preDepth > 0 && --this.preDepth === 0) this.write('\n```\n\n');
    this.mark(name);
    if (name === 'ul' || name === 'ol') this.lists.pop();
    if (blocks.has(name) && this.preDepth === 0) this.write('\n\n');
  }

  writeText(text: string): void {
    const collapsed = this.preDepth > 0 ? text : text.replace(/\s+/g, ' ');
    const isDoubled = this.preDepth === 0 && this.isAfterSpace && collapsed.startsWith(' ');
    this.write(isDoubled ? collapsed.slice(1) : collapsed);
  }

  private write(text: string): void {
    if (text === '') return;
    this.pieces.push(text);
    this.isAfterSpace = /\s$/.test(text.slice(-1));
  }

  private mark(name: string): void {
    if (this.preDepth === 0 && Object.hasOwn(marks, name)) this.write(marks[name] ?? '');
  }

  private startItem(): void {
    const list = this.lists.at(-1);
    if (list !== undefined) list.count++;
    const indent = '  '.repeat(Math.min(maxIndent, Math.max(0, this.lists.length - 1)));
    this.write(`\n${indent}${list?.isOrdered === true ? `${list.count}.` : '-'} `);
  }

  private startLink(href: string | undefined): void {
    this.endLink();
    const url = href === undefined ? undefined : this.resolve(href);
    if (url !== undefined) this.link = { start: this.pieces.length, href: url };
  }

  private endLink(): void {
    const link = this.link;
    this.link = undefined;
    if (link === undefined) return;
    const text = this.pieces.splice(link.start).join('');
    const name = text.replace(/\s+/g, ' ').trim();
    this.write(
      name === '' ? text : `${/^\s/.test(text) ? ' ' : ''}[${name}](${link.href})${/\s$/.test(text) ? ' ' : ''}`,
    );
  }

  private writeImage(alt: string | undefined): void {
    const name = alt?.replace(/\s+/g, ' ').trim() ?? '';
    if (name !== '') this.write(`[image: ${name}]`);
  }

  /** Only links that can be fetched, so not `javascript:` or `data:`. */
  private resolve(href: string): string | undefined {
    if (href.length > maxHrefChars || href.startsWith('#') || !URL.canParse(href, this.base.href)) return undefined;
    const url = new URL(href, this.base);
    return url.protocol === 'http:' || url.protocol === 'https:' ? url.href : undefined;
  }
}
