// A session as `clew export` writes it: Markdown, JSON, or the page as one HTML file.
import { exportJson } from '../../../export/index.ts';
import { exportMarkdown } from '../../../export/markdown/index.ts';
import type { ExportSource } from '../../../export/source/index.ts';
import type { ExportFormat } from '../../wire/index.ts';

export interface ExportAsked {
  readonly format: ExportFormat;
  /** Where the built page for exports is. */
  readonly codeFolder: string;
}

export const exportTypes: Readonly<Record<ExportFormat, string>> = {
  md: 'text/markdown; charset=utf-8',
  html: 'text/html; charset=utf-8',
  json: 'application/json',
};

export function exportPieces(
  source: ExportSource,
  { format, codeFolder }: ExportAsked,
): AsyncIterable<string> | Iterable<string> {
  switch (format) {
    case 'md':
      return exportMarkdown(source, {});
    case 'html':
      return htmlPieces(source, codeFolder);
    case 'json':
      return exportJson(source, {});
  }
}

/** Loaded on demand, like in `clew export`. */
async function* htmlPieces(source: ExportSource, codeFolder: string): AsyncGenerator<string> {
  const { exportHtml, readPageCode } = await import('../../../export/html/html.ts');
  yield* exportHtml(source, {}, readPageCode(codeFolder));
}
