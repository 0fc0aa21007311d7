// Archive: every byte comes back, a line is stored once, a killed writer leaves whole sessions, damage is found, and
// nothing is overwritten or deleted without a copy.
const archive = 'src/library/archive/archive.ts';
const writer = 'src/library/archive/pack/pack-writer.ts';
const contents = 'src/library/archive/pack/contents.ts';
const committed = 'src/library/archive/pack/committed.ts';
const settle = 'src/library/archive/settle.ts';
const repair = 'src/library/archive/repair.ts';
const lock = 'src/store/lock.ts';
const purge = 'src/library/archive/purge.ts';
const remove = 'src/library/archive/remove.ts';
const restore = 'src/library/archive/restore.ts';
const record = 'src/library/archive/pack/record.ts';
const sessions = ['library/archive/archive'];
const order = ['library/archive/disk-order'];
const damage = ['library/archive/damage'];
const committing = ['library/archive/committed'];
const purging = ['library/archive/purge'];
const locking = ['store/lock'];
const removing = ['library/archive/remove'];
const restoring = ['library/archive/restore'];

export const mutants = [
  // Lines and chunks
  {
    id: 'hash-of-a-part',
    file: 'src/library/archive/pack/chunks.ts',
    find: "hash('sha256', bytes, 'buffer')",
    replace: "hash('sha256', bytes.subarray(0, 64), 'buffer')",
    tests: sessions,
  },
  {
    id: 'hash-three-words',
    file: 'src/library/archive/pack/chunks.ts',
    find: '&& slots[slot + 3] === d',
    replace: '',
    tests: ['library/archive/pack/chunk-table'],
  },
  {
    id: 'table-loses-when-it-grows',
    file: 'src/library/archive/pack/chunks.ts',
    find: 'if (number !== 0) this.#addWords',
    replace: 'if (number > 1) this.#addWords',
    tests: ['library/archive/pack/chunk-table'],
  },
  {
    id: 'known-chunk-written-again',
    file: writer,
    find: 'if (known !== undefined && this.#canRead(known)) return known;',
    replace: '',
    tests: sessions,
  },
  {
    id: 'table-not-read',
    file: writer,
    find: 'this.#table = readTable(contents);',
    replace: 'this.#table = new ChunkTable();',
    tests: sessions,
  },
  {
    id: 'own-id-not-shared',
    file: 'src/library/archive/pack/pieces.ts',
    find: 'if (id === this.#ownId) pushNumber',
    replace: "if (id === '') pushNumber",
    tests: sessions,
  },
  {
    id: 'odd-line-not-kept-whole',
    file: 'src/library/archive/pack/pieces.ts',
    find: `if (line.includes(idMark) || line[0] === verbatimMark) return verbatim(line);
  const parts = takeApart(line);
  let next = 0;
  const joined = joinLine(parts.body, parts.ending, () => parts.ids[next++] ?? '');
  return joined.equals(line) ? parts : verbatim(line);`,
    replace: 'return takeApart(line);',
    tests: ['library/archive/pack/line-parts'],
  },
  {
    id: 'rest-of-a-file',
    file: 'src/library/archive/pack/pieces.ts',
    find: 'if (rest > used) yield',
    replace: 'if (rest > used + 1) yield',
    tests: ['library/archive/pack/pieces'],
  },
  {
    id: 'grown-file-read-on',
    file: 'src/library/archive/pack/pieces.ts',
    find: 'Math.min(buffer.length - filled, options.sizeBytes - offset)',
    replace: 'buffer.length - filled',
    tests: ['library/archive/pack/pieces'],
  },
  // What is archived
  { id: 'time-ignored', file: archive, find: ' && known.mtimeMs === stats.mtimeMs', replace: '', tests: sessions },
  { id: 'size-ignored', file: archive, find: ' && known.sizeBytes === stats.size', replace: '', tests: sessions },
  {
    id: 'files-that-go',
    file: archive,
    find: 'if (last?.files.length !== files.length) return true;',
    replace: 'if (last === undefined) return true;',
    tests: sessions,
  },
  {
    id: 'session-without-a-file',
    file: archive,
    find: '`;\n      return;',
    replace: '`;',
    tests: sessions,
  },
  {
    id: 'plan-of-before-the-lock',
    file: archive,
    find: 'const plans = await planAll(sessions, contents);',
    replace: 'const plans = first;',
    tests: sessions,
  },
  // Order of writes
  {
    id: 'session-before-its-blocks',
    file: writer,
    find: 'await this.#sync(await this.#openPack());',
    replace: '',
    tests: order,
  },
  {
    id: 'sync-only-own-blocks',
    file: writer,
    find: 'await this.#sync(await this.#openPack());',
    replace: 'if (this.#file !== undefined) await this.#sync(this.#file);',
    tests: order,
  },
  {
    id: 'flush-without-sync',
    file: writer,
    find: `await this.#sync(file);
    const name`,
    replace: 'const name',
    tests: order,
  },
  {
    id: 'full-pack-not-committed',
    file: writer,
    find: `await this.#commit(file);
    closeSync(file);`,
    replace: 'closeSync(file);',
    tests: order,
  },
  {
    id: 'name-of-pack-without-sync',
    file: writer,
    find: 'if (this.#fileSize === 0) await syncPath(this.#folder);',
    replace: '',
    tests: order,
  },
  { id: 'half-a-record-left', file: writer, find: 'ftruncateSync(file, this.#fileSize);', replace: '', tests: order },
  // Torn and damaged packs
  {
    id: 'torn-end-not-cut',
    file: settle,
    find: 'truncate(pack.path, soundEnd);',
    replace: '',
    tests: committing,
  },
  {
    id: 'bad-block-built-upon',
    file: writer,
    find: 'if (known !== undefined && this.#canRead(known)) return known;',
    replace: 'if (known !== undefined) return known;',
    tests: committing,
  },
  {
    id: 'damaged-tail-committed',
    file: contents,
    find: 'return readBody(record, pack) !== undefined && this.#addBlock(block);',
    replace: 'return this.#addBlock(block);',
    tests: committing,
  },
  {
    id: 'body-not-checked',
    file: record,
    find: 'return bodyHash(body) === record.header.sha256 ? body : undefined;',
    replace: 'return body;',
    tests: damage,
  },
  {
    id: 'header-not-checked',
    file: record,
    find: "if (bytes.toString('latin1', magic.length, magic.length + 17) !==",
    replace: "if ('' ===",
    tests: damage,
  },
  {
    id: 'no-record-after-a-gap',
    file: record,
    find: 'const end = findHeader(file, offset + 1, size);',
    replace: 'const end = undefined;',
    tests: damage,
  },
  {
    id: 'packs-by-name',
    file: 'src/library/archive/pack/packs.ts',
    find: 'packNumber(a) - packNumber(b)',
    replace: '(a < b ? -1 : 1)',
    tests: damage,
  },
  {
    id: 'path-out-of-the-folder',
    file: 'src/library/archive/pack/manifest.ts',
    find: `part !== '.' && part !== '..'`,
    replace: `part !== '.'`,
    tests: damage,
  },
  {
    id: 'same-copy-twice',
    file: contents,
    find: 'if (last === undefined || contents.get(session) !== content) list.push(copy);',
    replace: `if (last === undefined || content !== '') list.push(copy);`,
    tests: sessions,
  },
  {
    id: 'file-hash-not-compared',
    file: 'src/library/archive/pack/chunks.ts',
    find: "if (hash.digest('hex') !== file.sha256)",
    replace: "if (hash.digest('hex') === '')",
    tests: damage,
  },
  {
    id: 'verify-skips-blocks',
    file: 'src/library/archive/verify.ts',
    find: 'if (readBody(block, block.pack) !== undefined) return [];',
    replace: 'if (block.header.count >= 0) return [];',
    tests: damage,
  },
  {
    id: 'verify-first-only',
    file: 'src/library/archive/file-check.ts',
    find: 'if (reason === undefined) this.#sound.add(sameFile);',
    replace: 'this.#sound.add(sameFile);',
    tests: damage,
  },
  // Committed sums
  {
    id: 'cut-pack-certified',
    file: 'src/library/archive/pack/packs.ts',
    find: 'bytes, sha256 }) => sumUpTo(items, bytes) === sha256',
    replace: 'bytes, sha256 }) => sumUpTo(items, bytes) !== undefined || sha256',
    tests: committing,
  },
  {
    id: 'unreadable-sums-are-missing',
    file: committed,
    find: "if (systemErrorCode(error) === 'ENOENT') return",
    replace: "if (systemErrorCode(error) !== 'EACCES') return",
    tests: committing,
  },
  {
    id: 'damaged-sums-believed',
    file: committed,
    find: 'if (sumOf(version, text) !== sum)',
    replace: "if (sum === '')",
    tests: committing,
  },
  {
    id: 'unverified-copies-certified',
    file: settle,
    find: 'if (await checker.isWhole(copy.manifest)) copies',
    replace: 'copies',
    tests: committing,
  },
  {
    id: 'odd-tail-not-kept',
    file: settle,
    find: 'isOdd ? await new Quarantine',
    replace: 'torn.length < 0 ? await new Quarantine',
    tests: committing,
  },
  {
    id: 'newer-archive-written',
    file: settle,
    find: 'if (contents.isNewer)',
    replace: 'if (contents.next < 0)',
    tests: committing,
  },
  {
    id: 'lost-sums-not-missed',
    file: 'src/library/archive/pack/contents.ts',
    find: "if (sums.kind === 'none' && this.#isSummed) this",
    replace: "if (sums.kind === 'none' && this.#next < 0) this",
    tests: committing,
  },
  {
    id: 'purge-without-both-states',
    file: 'src/library/archive/pack/packs.ts',
    find: 'entry.becomes === undefined ? [entry] : [entry, entry.becomes]',
    replace: '[entry]',
    tests: committing,
  },
  {
    id: 'repair-without-quarantine',
    file: repair,
    find: 'if (file !== undefined) await quarantine.copyFile(file.path);',
    replace: 'void file;',
    tests: committing,
  },
  {
    id: 'older-copy-for-the-latest',
    file: restore,
    find: 'if (found !== undefined && isLost(found)) throw lostError(found, copies, version);',
    replace: 'if (found !== undefined && isLost(found)) return versions[0] as Manifest;',
    tests: committing,
  },
  // The lock
  {
    id: 'lock-of-the-same-number',
    file: lock,
    find: 'return started !== undefined && now !== undefined && started !== now;',
    replace: 'return false;',
    tests: locking,
  },
  {
    id: 'lock-of-another-machine',
    file: lock,
    find: 'if (holder.host !== hostname()) return false;',
    replace: '',
    tests: locking,
  },
  {
    id: 'lock-not-given-up',
    file: lock,
    find: 'if (readLock(lock) === mine) rmSync',
    replace: 'if (readLock(lock) === "") rmSync',
    tests: locking,
  },
  {
    id: 'lock-of-another-removed',
    file: lock,
    find: 'if (readLock(lock) === mine) rmSync',
    replace: 'rmSync',
    tests: locking,
  },
  {
    id: 'lock-not-exclusive',
    file: lock,
    find: "if (systemErrorCode(error) === 'EEXIST') return false;",
    replace: "if (systemErrorCode(error) === 'EEXIST') return true;",
    tests: locking,
  },
  {
    id: 'lock-leftovers-stay',
    file: lock,
    find: 'if (text !== undefined && isAbandoned(text)) rmSync(file, { force: true });',
    replace: 'if (text === undefined) rmSync(file, { force: true });',
    tests: locking,
  },
  {
    id: 'lock-broken-beside-a-living-breaker',
    file: lock,
    find: 'if (other !== undefined) return other;',
    replace: '',
    tests: locking,
  },
  {
    id: 'unreadable-lock-taken',
    file: lock,
    find: "throw diskError(error, 'read', lock);",
    replace: "return '';",
    tests: locking,
  },
  // Purge
  {
    id: 'purge-shared-lines',
    file: purge,
    find: 'used[chunk] ||= chunkMark;',
    replace: 'used[chunk] ||= 0;',
    tests: purging,
  },
  {
    id: 'purge-keeps-hashes',
    file: purge,
    find: 'hashes.fill(0, i * hashBytes, (i + 1) * hashBytes);',
    replace: '',
    tests: purging,
  },
  {
    id: 'purge-keeps-bytes',
    file: purge,
    find: `chunks += emptied.chunks;
        committed = emptied.committed;`,
    replace: 'chunks += 0;',
    tests: purging,
  },
  {
    id: 'purge-without-marker',
    file: purge,
    find: 'if (unwanted.size === 0 && !existsSync(marker))',
    replace: 'if (unwanted.size === 0)',
    tests: purging,
  },
  {
    id: 'purge-of-a-damaged-archive',
    file: purge,
    find: "if (manifest === undefined) throw unreadable(problem ?? 'a record is damaged');",
    replace: 'if (manifest === undefined) continue;',
    tests: purging,
  },
  {
    id: 'purge-records-last',
    file: purge,
    find: `for (const pack of contents.packs) committed = await dropVersions(pack, isGone, committed);
      let chunks = 0;`,
    replace: 'let chunks = 0;',
    tests: order,
  },
  {
    id: 'purge-every-version',
    file: purge,
    find: 'contentKey(manifest)}`',
    replace: '0}`',
    tests: purging,
  },
  // Restore and rm
  {
    id: 'restore-overwrites',
    file: restore,
    find: 'if (conflict !== undefined && options.isForced !== true)',
    replace: 'if (conflict !== undefined && options.isForced === false)',
    tests: restoring,
  },
  {
    id: 'restore-without-backup',
    file: restore,
    find: "const backup = step.outcome === 'replaced' ?",
    replace: "const backup = step.outcome === 'present' ?",
    tests: restoring,
  },
  {
    id: 'restore-main-first',
    file: restore,
    find: '[...others, main]',
    replace: '[main, ...others]',
    tests: restoring,
  },
  { id: 'restore-without-mode', file: restore, find: 'await chmod(target, file.mode);', replace: '', tests: restoring },
  {
    id: 'restore-without-time',
    file: restore,
    find: 'await utimes(target, seconds, seconds)',
    replace: 'await Promise.resolve()',
    tests: restoring,
  },
  {
    id: 'restore-oldest-copy',
    file: restore,
    find: 'copies.at(version === undefined ? -1 : version - 1)',
    replace: 'copies.at(version === undefined ? 0 : version - 1)',
    tests: restoring,
  },
  {
    id: 'rm-without-reading-back',
    file: remove,
    find: '(await checker.findDamage(manifest, archived)) === undefined;',
    replace: 'true;',
    tests: removing,
  },
  {
    id: 'rm-without-comparing',
    file: remove,
    find: 'if ((await hashFile(file)) !== archived.sha256)',
    replace: "if (archived.sha256 === '')",
    tests: removing,
  },
  { id: 'rm-main-first', file: remove, find: '[...files].reverse()', replace: '[...files]', tests: order },
  { id: 'rm-in-use', file: remove, find: 'if (user !== undefined) return user;', replace: '', tests: removing },
  {
    id: 'rm-just-written',
    file: remove,
    find: 'return ageMs < quietMs ?',
    replace: 'return ageMs < 0 ?',
    tests: removing,
  },
  {
    id: 'rm-without-archive',
    file: remove,
    find: 'if (isArchived) await archiveAndCheck',
    replace: 'if (!isArchived) await archiveAndCheck',
    tests: removing,
  },
  {
    id: 'an-id-overlaps-the-id-before-it',
    file: 'src/library/archive/pack/pieces.ts',
    find: 'start < copied || !isUuidAt',
    replace: '!isUuidAt',
    tests: ['library/archive/pack/line-parts'],
  },
  {
    id: 'any-text-with-dashes-is-an-id',
    file: 'src/library/archive/pack/pieces.ts',
    find: 'if (!isDigit && place !== firstDash && !otherDashes.includes(place)) return false;',
    replace: '',
    tests: ['library/archive/pack/line-parts'],
  },
];
