export type { PeopleChoice } from './people.ts';
