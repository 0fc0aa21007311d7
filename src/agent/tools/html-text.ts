// A web page → Markdown that a model reads well: headings, lists, links, code and tables; nothing of scripts and styles.
import { type HtmlToken, readTokens } from './html-tokens.ts';

export function htmlToMarkdown(html: string, base: URL): string {
  const writer = new MarkdownWriter(base);
  for (const token of readTokens(html)) writer.take(token);
  return writer.finish();
}

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
  /** Whether the next space would stand at the beginning of a line, or after another. */
  private isAfterSpace = true;
  private readonly base: URL;

  constructor(base: URL) {
    this.base = base;
  }

  take(token: HtmlToken): void {
    if (token.kind === 'text') this.writeText(token.text);
    else if (token.kind === 'open') this.open(token.name, token.attributes);
    else this.close(token.name);
  }

  finish(): string {
    this.endLink();
    const text = this.pieces.join('').toWellFormed().replaceAll('\0', '');
    return text
      .replace(/[^\S\n]{1,256}\n/g, '\n')
      .replace(/\n{3,}/g, '\n\n')
      .trim();
  }

  private open(name: string, attributes: ReadonlyMap<string, string>): void {
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

  private close(name: string): void {
    if (name === 'a') this.endLink();
    else if (name === 'td' || name === 'th') this.write(' | ');
    else if (name === 'pre' && this.preDepth > 0 && --this.preDepth === 0) this.write('\n```\n\n');
    this.mark(name);
    if (name === 'ul' || name === 'ol') this.lists.pop();
    if (blocks.has(name) && this.preDepth === 0) this.write('\n\n');
  }

  private writeText(text: string): void {
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

  /** Only what can be fetched: no `javascript:`, and no `data:`, which may be long. */
  private resolve(href: string): string | undefined {
    if (href.length > maxHrefChars || href.startsWith('#') || !URL.canParse(href, this.base.href)) return undefined;
    const url = new URL(href, this.base);
    return url.protocol === 'http:' || url.protocol === 'https:' ? url.href : undefined;
  }
}
