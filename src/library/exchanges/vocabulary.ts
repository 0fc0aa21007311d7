// Words of questions that say nothing about what is asked for, and words that people use for the same thing.

/** Words of grammar, and words that speak about a conversation: rare in transcripts, so they would count most. */
export const stopWords: ReadonlySet<string> = new Set(
  `a an the and or but if then else so as of at by for from in into on onto out over to up with without within about after
  again against all also although am any anybody anyone anything are aren around because been before being below beneath
  between both can cannot could did didn do does doesn doing don done during each either especially etc even ever
  every everybody everyone everything few for further get gets getting give given gave go goes going gone got had hadn
  has hasn have haven having he her here hers him himself his how however i im ive id ill is isn it its itself just kind
  know knew known lately later least let lets like liked likes long lot made make makes making many may maybe me mean
  meant might mine more most much must my myself need needed needs neither never no none nor not now of off often okay
  once one ones only or other others ought our ours ourselves own perhaps please quite rather re really regarding
  s same say says said saying see seen seemed seems shall she should since so some somebody somehow someone something
  sometimes soon still such t tell telling tells than thanks that thats the their theirs them themselves there these
  they thing things think thinking this those though thought through thus time times to today together told too toward
  twice under unless until upon us use used uses using usual usually ve very via want wanted wanting wants was wasn way
  we well went were weren what whatever whats when whenever where wherever whether which while who whoever whole whom
  whose why will wish with won would yes yesterday yet you your yours yourself
  actually ago already always anyway apparently back basically certainly currently earlier eventually exactly finally
  first happen happened happening happens immediately initially instead last mostly next originally past present
  previous previously probably properly recent recently simply sort suddenly
  agree agreed answer answered ask asked asking asks attempt attempted believe came come comes complain complained
  complaining conversation decide decided describe described discuss discussed exchange explain explained explanation
  feel felt find finding found guess hear heard idea look looked looking looks mention mentioned mind notice noticed
  point pointed propose proposed question questions reason reasoning reasons recall recalled remember remembered remind
  reply replied sent send session sessions show showed showed shown speak spoke started suggest suggested suggestion
  summary talk talked talking took take takes taking turn turned understand understood wonder wondered wondering write
  wrote written
  argument arguments case end ended ends example examples fact facts part piece somewhere stuff whatever bit`.split(/\s+/),
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
