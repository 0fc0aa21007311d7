export { LibraryPage, useProjects } from './library-page.tsx';
export { isHiddenProject, ProjectSelect, shortProject } from './project-list.tsx';
