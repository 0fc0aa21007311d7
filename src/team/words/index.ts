export { type DocumentWords, documentWords, type FieldWords, fieldLetters, fieldWords, stemmedWords } from './words.ts';
