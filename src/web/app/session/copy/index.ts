export { CopyButton, copyButtonElement, wholeText } from './copy-button.tsx';
export { MessageTools, stampText } from './message-tools.tsx';
