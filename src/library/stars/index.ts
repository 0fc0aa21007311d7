export { readStars, starFile, starsFolder } from './stars.ts';
