export { type AnswerOptions, answerFiles, type FileAnswer, type FilesAnswer, type Target } from './answer-files.ts';
export type { LineAnswer } from './line-answer.ts';
export { type FoundFile, findTarget } from './target-file.ts';
