// The picker as a value: a state and a key give the next state and an action. While the filter has the focus, letters
// belong to the query and commands have Ctrl keys; Tab moves the focus to the list, where letters are commands.
import type { Key } from '../terminal/index.ts';

export interface PickerState {
  readonly query: string;
  readonly focus: 'filter' | 'list';
  /** The index of the selected session among the matches. */
  readonly selected: number;
  readonly isHelp: boolean;
  /** Shown in the last line until the next key. */
  readonly message: string;
}

export type PickerAction = 'show' | 'resume' | 'fork' | 'quit' | 'suspend';

export interface Pressed {
  readonly state: PickerState;
  readonly action?: PickerAction;
}

export const initialState: PickerState = { query: '', focus: 'filter', selected: 0, isHelp: false, message: '' };

export interface PressContext {
  /** The number of sessions that match a query. */
  count(query: string): number;
  /** The number of visible rows of the list. */
  readonly pageRows: number;
}

export function press(before: PickerState, key: Key, context: PressContext): Pressed {
  const state = { ...before, message: '' };
  if (key.name === 'ctrl-c') return { state, action: 'quit' };
  if (key.name === 'ctrl-z') return { state, action: 'suspend' };
  if (state.isHelp) return { state: { ...state, isHelp: false } };
  if (key.name === 'enter' || key.name === 'newline') return { state, action: 'show' };
  if (key.name === 'ctrl-r') return { state, action: 'resume' };
  if (key.name === 'ctrl-f') return { state, action: 'fork' };
  if (key.name === 'tab' || key.name === 'shift-tab')
    return { state: { ...state, focus: state.focus === 'filter' ? 'list' : 'filter' } };
  if (key.name === 'escape') return state.query === '' ? { state, action: 'quit' } : { state: typed(state, '') };
  const last = Math.max(0, context.count(state.query) - 1);
  const step = steps[key.name]?.(state.selected, last, context.pageRows);
  if (step !== undefined) return { state: { ...state, selected: Math.min(last, Math.max(0, step)) } };
  return state.focus === 'filter' ? { state: pressInFilter(state, key) } : pressInList(state, key, last);
}

type Step = (selected: number, last: number, pageRows: number) => number;

const steps: Readonly<Record<string, Step>> = {
  up: (selected) => selected - 1,
  'ctrl-p': (selected) => selected - 1,
  down: (selected) => selected + 1,
  'ctrl-n': (selected) => selected + 1,
  'page-up': (selected, _, pageRows) => selected - pageRows,
  'page-down': (selected, _, pageRows) => selected + pageRows,
  home: () => 0,
  end: (_, last) => last,
};

function pressInFilter(state: PickerState, key: Key): PickerState {
  switch (key.name) {
    case 'text':
      if (key.text === '?' && state.query === '') return { ...state, isHelp: true };
      return typed(state, state.query + key.text);
    case 'paste':
      return typed(state, state.query + key.text.replace(/[\x00-\x1f\x7f]+/g, ' '));
    case 'backspace':
      return typed(state, [...state.query].slice(0, -1).join(''));
    case 'ctrl-w':
      return typed(state, state.query.replace(/\S+\s*$/, ''));
    case 'ctrl-u':
      return typed(state, '');
    default:
      return state;
  }
}

function pressInList(state: PickerState, key: Key, last: number): Pressed {
  switch (key.text) {
    case 'r':
      return { state, action: 'resume' };
    case 'f':
      return { state, action: 'fork' };
    case 'q':
      return { state, action: 'quit' };
    case '?':
      return { state: { ...state, isHelp: true } };
    case '/':
      return { state: { ...state, focus: 'filter' } };
    case 'j':
      return { state: { ...state, selected: Math.min(last, state.selected + 1) } };
    case 'k':
      return { state: { ...state, selected: Math.max(0, state.selected - 1) } };
    case 'g':
      return { state: { ...state, selected: 0 } };
    case 'G':
      return { state: { ...state, selected: last } };
    default:
      return { state };
  }
}

/** Another query selects its newest session. */
function typed(state: PickerState, query: string): PickerState {
  return query === state.query ? state : { ...state, query, focus: 'filter', selected: 0 };
}
