// Words of questions that say nothing about what is asked for, and words that people use for the same thing.

export const stopWords: ReadonlySet<string> = new Set(
  `a an the and or but if then else so as of at by for from in into on onto out over to up with without within about after
  again against all also am any anything are aren around because been before being below between both can cannot could
  did didn do does doesn doing don done during each earlier ever few further get gets getting give given go goes going
  gone got had has hasn have haven having he her here hers him his how i im ive is isn it its itself just know last let
  like long make makes made many may me might more most much must my need needed no nor not now of off once one only
  other our ours ourselves own please previous previously re really recall remember same say says said see she should
  since some somebody someone something still such tell than that thats the their them there these they thing things
  this those through time told too under until us use used using ve very want wanted was wasn way we were weren what
  whats when where which while who whom whose why will wish won would you your yours ask asked conversation exchange
  find found look looked looking session sessions talk talked turn turned happen happened come came end ended
  ended actually already back exactly finally`.split(/\s+/),
);

/** Each line: words for one thing, in their short and long forms. */
const groups = `
auth authentication authorization login signin
config configuration configure settings setting
db database
dir directory folder
docs documentation readme
env environment
err error exception failure
repo repository
func function method
dep dependency dependencies package
param parameter argument
async asynchronous
sync synchronise synchronize
delete remove drop erase
create add introduce
fix repair solve resolve correct
change modify update alter edit
rename move
speed fast slow performance latency
crash panic abort
picture image screenshot photo
color colour
style css styling
button control
test spec testing
bug defect issue problem
build compile compilation
deploy deployment release publish
version release
typescript ts
javascript js
python py
kubernetes k8s
pr pull
commit commits
ci pipeline workflow
ui interface frontend
api endpoint
var variable
msg message
cmd command
spacing padding margin gap
font typography
duplicate duplication repeated
refactor refactoring restructure
lint linter linting
hide collapse fold
show display render
`;

const bySynonym = new Map<string, Set<string>>();
for (const line of groups.trim().split('\n')) {
  const words = line.trim().split(' ');
  for (const word of words) {
    const others = bySynonym.get(word) ?? new Set<string>();
    for (const other of words) if (other !== word) others.add(other);
    bySynonym.set(word, others);
  }
}

/** Words for the same thing; a plural or past form has those of its stem. */
export function synonymsOf(word: string): readonly string[] {
  const stems = [
    word,
    word.replace(/(?:s|es|ed|d|ing)$/, ''),
    word.replace(/(?:ed|ing)$/, 'e'),
    word.replace(/ies$/, 'y'),
  ];
  for (const stem of stems) {
    const found = bySynonym.get(stem);
    if (found !== undefined) return [...found];
  }
  return [];
}
