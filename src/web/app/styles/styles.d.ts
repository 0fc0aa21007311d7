// Style sheets are bundled beside the page; there is nothing in them to import.
declare module '*.css';
