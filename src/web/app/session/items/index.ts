export { PartItems } from './items.tsx';
export { Boundary, PartView } from './part.tsx';
