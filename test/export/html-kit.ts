import path from 'node:path';
import { exportHtml, type PageCode, readPageCode } from '../../src/export/html/html.ts';
import type { PageDataOptions } from '../../src/export/html/page-data.ts';
import type { MarkdownOptions } from '../../src/export/markdown/markdown.ts';
import type { ExportSource } from '../../src/export/source/source.ts';
import { dist } from '../support/dist.ts';
import { projectRoot } from '../support/paths.ts';

export const demo: string = path.join(projectRoot, 'demo/projects/-home-ada-lighthouse');

export const demoFile: string = path.join(demo, '463b11e7-f2cd-4a8c-b793-f776502024ef.jsonl');

export const code: PageCode = readPageCode(path.join(dist, 'standalone'));

export function chunksOf(source: ExportSource, options: MarkdownOptions & PageDataOptions = {}): AsyncIterable<string> {
  return exportHtml(source, options, code);
}
