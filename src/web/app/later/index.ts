export { type LaterPart, laterPart } from './later-part.tsx';
