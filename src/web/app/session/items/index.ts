export { Boundary, PartView } from './part.tsx';
