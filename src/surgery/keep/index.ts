export { isStarred, type StarOptions, starSession } from './star.ts';
