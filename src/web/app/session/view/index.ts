export { FilterContext, useShownItems, ViewContexts } from './filter-context.tsx';
export { findStep, type StepKind, type StepPlace } from './stepping.ts';
export { ViewBar, type ViewBarProps } from './view-bar.tsx';
export { rowOf, useVisibleParts } from './visible-parts.ts';
