export { CallList, lineJson } from './answer-json.ts';
export { type OpenAnswers, openAnswers } from './open-answers.ts';
export { doubtTexts } from './render.ts';
