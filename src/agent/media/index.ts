export { type FittedImage, fitImage, imageLimits, type MediaProblem, pictureNote } from './image.ts';
export { type ExtractedPages, readPages } from './pdf.ts';
