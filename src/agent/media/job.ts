// What the worker thread is asked to do, and what it answers.
import type { ImageType } from '../../api/request/index.ts';

export interface ImageJob {
  readonly kind: 'image';
  readonly bytes: Uint8Array;
  readonly type: ImageType;
  readonly side: number;
  readonly maxBytes: number;
}

export interface PdfJob {
  readonly kind: 'pdf';
  readonly bytes: Uint8Array;
  readonly pages?: { readonly first: number; readonly last: number };
}

export type MediaJob = ImageJob | PdfJob;

export interface ScaledImage {
  readonly bytes: Uint8Array;
  readonly type: ImageType;
  readonly width: number;
  readonly height: number;
}

export interface PdfPages {
  readonly bytes: Uint8Array;
  readonly total: number;
  readonly count: number;
}

export type MediaAnswer<J extends MediaJob> =
  | (J extends ImageJob ? ScaledImage : PdfPages)
  | { readonly problem: string };
