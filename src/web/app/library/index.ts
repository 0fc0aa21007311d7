export { LibraryPage } from './library-page.tsx';
export { shortProject } from './project-list.tsx';
