export { BulkBar } from './bulk-bar.tsx';
export { RowMenu, SelectBox } from './select-box.tsx';
export { SelectionProvider } from './selection-context.tsx';
