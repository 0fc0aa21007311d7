// Counts the pages of a PDF, and copies some of them into a new one. Runs in the worker thread.
import { PDFDocument } from '@cantoo/pdf-lib';
import type { MediaAnswer, PdfJob } from './job.ts';

export async function extractPages({ bytes, pages }: PdfJob): Promise<MediaAnswer<PdfJob>> {
  // Without its last part, some pages may be missing and the API may refuse the file.
  if (!hasEnd(bytes)) return { problem: 'its end is missing' };
  const source = await PDFDocument.load(bytes, {
    updateMetadata: false,
    ignoreEncryption: true,
    throwOnInvalidObject: true,
  });
  const total = source.getPageCount();
  if (source.isEncrypted) return { problem: 'it is protected with a password' };
  if (total === 0) return { problem: 'it has no pages, or its data is damaged' };
  if (pages === undefined || (pages.first === 1 && pages.last >= total)) return { bytes, total, count: total };
  if (pages.first > total) return { bytes: new Uint8Array(), total, count: 0 };
  const last = Math.min(pages.last, total);
  const wanted = Array.from({ length: last - pages.first + 1 }, (_, i) => pages.first - 1 + i);
  const target = await PDFDocument.create({ updateMetadata: false });
  for (const page of await target.copyPages(source, wanted)) target.addPage(page);
  return { bytes: await target.save({ addDefaultPage: false }), total, count: wanted.length };
}

const tailBytes = 65_536;

function hasEnd(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.subarray(-tailBytes)).includes('startxref');
}
