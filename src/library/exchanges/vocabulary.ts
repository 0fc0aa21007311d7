// Words of questions that say nothing about what is asked for, and words that people use for the same thing.

/** Words of grammar, and words that speak about a conversation: rare in transcripts, so they would count most. */
export const stopWords: ReadonlySet<string> = new Set(
  `a an the and or but if then else so as of at by for from in into on onto out over to up with without within about after
  again against all also although am any anybody anyone anything are aren around because been before being below beneath
  between both can cannot could did didn do does doesn doing don done during each either especially etc even ever
  every everybody everyone everything few for further get gets getting give given gave go goes going gone got had hadn
  has hasn have haven having he her here hers him himself his how however i im ive d ll m is isn it its itself just kind
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
  argument arguments case end ended ends example examples fact facts part piece somewhere stuff whatever bit`.split(
    /\s+/,
  ),
);

/** Each line: words for one thing, or for things that people confuse when they remember. */
const groups = `
abort cancel interrupt kill terminate
accelerate optimise optimize speed
access permission rights
account user
add append insert include introduce
advantage benefit pro strength upside
disadvantage caveat con drawback risk weakness downside
agent assistant helper subagent teammate worker
analyse analyze inspect investigate examine review audit
annotate annotation comment
answer reply response
app application program
archive zip tar tarball
arg argument param parameter option flag
array list
async asynchronous
auth authentication authorization login signin
automatic automatically auto
backup copy
begin start launch init initialise initialize
border outline frame
branch fork
break broke broken fail failed failing failure crash red
browser chrome firefox safari
bug defect fault issue problem trouble
build compile compilation bundle
button control toggle
cache caching cached memoize
callback handler listener
change modify update alter edit adjust rewrite
check verify validate validation test
choose pick select
ci pipeline workflow action actions
clean cleanup tidy refactor
client frontend browser
close shut exit quit
collapse collapsible expandable fold hide
color colour background
combine merge join unify
command cmd shell bash script
commit checkin
compare comparison contrast versus
component widget element
config configuration configure settings setting setup
connect connection
container docker
convert port translate migrate migration transform
correct fix fixed repair solve resolve solution
count number total amount
create generate make produce build
css style styling stylesheet
db database sql sqlite
debug diagnose troubleshoot
dedupe duplicate duplication repeated twice
default fallback
delete remove drop erase strip
dep dependency dependencies package library
deploy deployment release publish ship
detect discover find
dir directory folder
disable suppress silence ignore off
disappear disappeared vanish vanished lost missing gone
display show render view
doc docs document documentation readme guideline
download fetch
edge corner
embed include
empty blank none
enable activate
endpoint api route
env environment
err error exception traceback
execute run launch invoke call
expand unfold open
explain describe clarify
export extract
fast quick performance
feature functionality capability
field property attribute member
file document
filter filtering
font typography
format formatting formatter
freeze hang hanging stuck blocked
func function method helper
get retrieve fetch obtain
global shared
graph dependency
header heading title
html markup
hook callback
http request
icon picture image
id identifier uuid
image picture screenshot photo
implement implementation build
import require
improve enhance better
index overview
input field textbox
install setup
interface ui tui
javascript js
join merge
json jsonl
key shortcut keyboard
label name
language locale
latest newest recent
layout structure organisation organization
link url href
lint linter linting
load loading
local localhost
localstorage persist persistence store save storage
log logging
loop iterate iterating iteration
mail email
margin padding spacing space gap
message msg
microphone audio sound recording
mock fake stub
module file
modern modernise modernize upgrade
move relocate rename
multiply multiplication product
navigate navigation nav menu
nested depth recursion recursive
network request
obsolete deprecated outdated legacy
order sort ordering
output result print
page site website
paginate pagination paging pages
parallel concurrent simultaneously
parse parser parsing
password secret credential token
path location
plan proposal roadmap
plugin extension
popular favourite favorite common
port server
pr pull
previous earlier
prompt question
python py
query search
queue backlog
readable legible
reduce shrink minimise
redundant superfluous unnecessary unneeded obsolete
refactor restructure refactoring split
regex pattern expression
reject rejected refuse decline
rename move
repo repository
reset clear
restart reload refresh
restore recover bring
row line
rust cargo crate
schema structure
scroll scrolling
security vulnerability injection
serve server host
session conversation transcript
sidebar panel
simple simplify straightforward minimal
size length
skip ignore
slow latency performance
split separate divide
sum aggregate aggregated total totals
sync synchronise synchronize
table grid
tag label
task todo item entry
template jinja
terminal console tui cli
test tests spec testing
text string
thread worker
time timestamp date
timeout delay debounce
tokenize tokenise tokenizer tokenisation
tool utility
tooltip hint
type types typing annotation
typescript ts
undo revert rollback
unit test
url link address
usage use consumption
var variable
version release
visible shown hidden
wait await
warning warn
wrap wrapper wrapped
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
