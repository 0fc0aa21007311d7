// The words of random command lines: files to read and to write, folders, and about 150 commands with the files in their
// places. One to a line.

function lines(text: string): readonly string[] {
  return text.split('\n').slice(1, -1);
}

export const secretFiles: readonly string[] = lines(`
.env
priv/a.txt
deep/.env.local
{project}/.env
./priv/a.txt
src/../.env
$PWD/.env
{outside}/canary.txt
../outside/canary.txt
$PWD/../outside/canary.txt
{project}/../outside/canary.txt
{home}/.ssh/id_rsa
~/.ssh/id_rsa
$HOME/.ssh/id_rsa
{home}/.claude/.credentials.json
~/.claude/projects/other/session.jsonl
../home/.ssh/id_rsa
/proc/self/cwd/.env
`);

export const plainFiles: readonly string[] = lines(`
README.md
src/a.ts
package.json
Makefile
src
.
src/evil.sh
nothing
`);

export const writtenFiles: readonly string[] = lines(`
{outside}/made
../outside/made
{outside}/canary.txt
../outside/canary.txt
{home}/.bashrc
~/.profile
{home}/.claude/settings.json
.git/hooks/pre-commit
.git/config
.claude/settings.json
.mcp.json
.claude/settings.local.json
.vscode
.envrc
.bashrc
.env
priv/a.txt
deep/.env.local
.husky
new
src/new
/tmp/new
/dev/null
README.md
$'n\\xffw'
`);

export const folders: readonly string[] = lines(`
.
src
priv
deep
..
../outside
{outside}
{home}
~
.git
.claude
/tmp
`);

export const texts: readonly string[] = lines(`
x
'a b'
"$HOME"
-n
--
-e
1
@
%s
$'\\x41'

\\*
"*"
TOKEN
.
^
`);

/** {r}: a file to read, {w}: a file to write, {d}: a folder, {t}: a text, {s}: a command, {c}: a line, {q}: a quoted line. */
export const reading: readonly string[] = lines(`
cat {r}
cat -A {r} {r}
head -n 3 {r}
head -c 99 {r}
tail -n1 {r}
tac {r}
nl {r}
rev {r}
grep . {r}
grep -r . {d}
grep -f {r} {r}
grep -5e . {r}
egrep -o .+ {r}
rg . {r}
rg -uu . {d}
sort {r}
sort -u -- {r} {r}
uniq {r}
cut -c1-80 {r}
paste {r} {r}
comm {r} {r}
join {r} {r}
od -c {r}
xxd {r}
hexdump -C {r}
base64 {r}
strings {r}
file -f {r}
wc --files0-from={r}
sed -n p {r}
sed '1e cat {r}' README.md
awk 1 {r}
awk -f {r}
perl -pe 1 {r}
tr a-z A-Z < {r}
diff /dev/null {r}
diff -r {d} /tmp
cmp -l {r} {r}
dd if={r}
fold {r}
fmt {r}
pr {r}
expand {r}
jq -R . {r}
jq -n --rawfile a {r} $a
git show :{r}
git diff --no-index README.md {r}
git log -p
git grep .
tar cf - {d} | cat -v
gzip -c {r} | zcat
zip -q - {r} | cat -v
xargs -a {r} echo
ls -la {d}
ls {r}
find {d} -type f -exec cat {} +
find {d} -name "*" | xargs cat
find {d} -maxdepth 2
date -f {r}
split {r} /tmp/s
mapfile a < {r}; echo "\${a[@]}"
read -r l < {r}; echo $l
echo "$(<{r})"
while read -r l; do echo $l; done < {r}
node -e "console.log(require('fs').readFileSync(process.argv[1],'utf8'))" {r}
env
export -p
set
printenv
stat {r}
source {r}
. {r}
bash {r}
printf "%s\\n" {d}/*
echo {d}/* {d}/.*
cat {d}/*
column {r}
`);

export const writing: readonly string[] = lines(`
touch {w}
rm -f {w}
rm -rf {d}
rmdir {d}
mkdir -p {w}
cp {r} {w}
cp -r {d} {w}
mv {r} {w}
mv {d} {w}
ln -sfn {d} {w}
ln -s {r} {w}
ln {r} {w}
tee {w} < {r}
tee -a {w} <<< {t}
truncate -s 0 {w}
dd of={w} <<< {t}
chmod 777 {w}
install {r} {w}
sed -i s/./x/ {w}
sed 'w {w}' {r}
sort {r} -o {w}
uniq {r} {w}
split {r} {w}
echo {t} > {w}
echo {t} >> {w}
: > {w}
printf {t} >| {w}
cat {r} > {w}
cat {r} &> {w}
exec 3> {w}; echo {t} >&3
awk 'BEGIN{print "x" > "{w}"}'
perl -e 'open F,">{w}"'
git config x.y {t}
git init {w}
git diff --output={w} HEAD
tar xf {r} -C {d}
tar cf {w} {d}
zip -q {w} {r}
gzip -k {r}
find {d} -name a.txt -delete
find . -fprint {w}
make
npm test
./src/evil.sh
sh src/evil.sh
node src/evil.cjs
unlink {w}
shred -u {w}
ed -s {w} <<< w
patch {w} {r}
cd {d}; echo {t} > made
cd {d} && rm -rf *
(cd {d}; cat *; touch made)
mkfifo {w}
git mv {r} {w}
git add -f {r}
`);

export const running: readonly string[] = lines(`
eval {q}
bash -c {q}
sh -c {q}
env bash -c {q}
timeout 1 bash -c {q}
nice {s}
command {s}
exec {s}
time {s}
echo {q} | bash
bash <<< {q}
xargs -I% bash -c {q} <<< 1
trap {q} EXIT
setsid {s}
nohup {s}
builtin eval {q}
awk 'BEGIN{system("{s}")}'
git -c alias.x=!{q} x
find . -maxdepth 0 -exec bash -c {q} \\;
coproc { {c}; }; wait
BASH_ENV=src/evil.sh bash -c {q}
PS4={q} bash -xc true
PATH=src:$PATH evil.sh
GIT_PAGER={q} git -p log
printf -v x %s {q}; eval "$x"
`);
