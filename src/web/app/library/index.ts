export { LibraryPage, useProjects } from './library-page.tsx';
export { ProjectSelect, shortProject } from './project-list.tsx';
