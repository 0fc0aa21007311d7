export { lexemeOf } from './vector.ts';
export {
  type DocumentWords,
  documentWords,
  type FieldWords,
  fieldLetters,
  fieldWords,
  plainWords,
  stemmedWords,
  titleLetter,
} from './words.ts';
