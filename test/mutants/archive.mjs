// Archive: every byte comes back, a line is stored once, a killed writer leaves whole sessions, damage is found, and
// nothing is overwritten or deleted without a copy.
const archive = 'src/library/archive/archive.ts';
const writer = 'src/library/archive/pack/pack-writer.ts';
const contents = 'src/library/archive/pack/contents.ts';
const lock = 'src/store/lock.ts';
const purge = 'src/library/archive/purge.ts';
const remove = 'src/library/archive/remove.ts';
const restore = 'src/library/archive/restore.ts';
const record = 'src/library/archive/pack/record.ts';
const sessions = ['library/archive/archive'];
const order = ['library/archive/disk-order'];
const damage = ['library/archive/damage'];
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
    find: 'if (known !== undefined) return known;',
    replace: '',
    tests: sessions,
  },
  {
    id: 'table-not-read',
    file: writer,
    find: 'return new PackWriter(sound, readTable(sound), limits);',
    replace: 'return new PackWriter(sound, new ChunkTable(), limits);',
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
    find: 'await this.#tail;\n    if (this.#file !== undefined) await this.#sync(this.#file);',
    replace: 'await this.#tail;',
    tests: order,
  },
  {
    id: 'full-pack-without-sync',
    file: writer,
    find: 'await this.#sync(this.#file);\n      closeSync(this.#file);',
    replace: 'closeSync(this.#file);',
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
    file: writer,
    find: 'if (cut !== undefined) cutPack(contents, cut);',
    replace: '',
    tests: damage,
  },
  {
    id: 'bad-block-built-upon',
    file: writer,
    find: 'return bad === undefined ? tornAt : bad.offset;',
    replace: 'return tornAt;',
    tests: damage,
  },
  {
    id: 'cut-block-still-known',
    file: writer,
    find: 'const sound = cut === undefined ? contents : withoutBytesFrom(contents, cut);',
    replace: 'const sound = contents;',
    tests: damage,
  },
  {
    id: 'body-not-checked',
    file: contents,
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
    file: contents,
    find: 'Number.parseInt(a, 10) - Number.parseInt(b, 10)',
    replace: '(a < b ? -1 : 1)',
    tests: damage,
  },
  {
    id: 'path-out-of-the-folder',
    file: 'src/library/archive/pack/contents.ts',
    find: "part !== '.' && part !== '..'",
    replace: "part !== '.'",
    tests: damage,
  },
  {
    id: 'same-copy-twice',
    file: contents,
    find: 'contentKey(last) === contentKey(manifest)) known',
    replace: 'last === manifest) known',
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
    find: 'if (readBody(block, block.pack) === undefined)',
    replace: 'if (block.header.count < 0)',
    tests: damage,
  },
  {
    id: 'verify-first-only',
    file: 'src/library/archive/verify.ts',
    find: 'if (reason === undefined) distinct.add(sameFile);',
    replace: 'distinct.add(sameFile);\n    if (reason === undefined) continue;',
    tests: damage,
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
    find: 'chunks += await emptyUnused(pack, used);',
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
    id: 'purge-chunks-first',
    file: purge,
    find: 'for (const pack of contents.packs) await dropVersions(pack, isGone);\n      let chunks = 0;\n      for (const pack of contents.packs) chunks += await emptyUnused(pack, used);',
    replace:
      'let chunks = 0;\n      for (const pack of contents.packs) chunks += await emptyUnused(pack, used);\n      for (const pack of contents.packs) await dropVersions(pack, isGone);',
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
    find: 'await utimes(target, seconds, seconds);',
    replace: '',
    tests: restoring,
  },
  {
    id: 'restore-oldest-copy',
    file: 'src/library/archive/restore.ts',
    find: 'versions.at(version === undefined ? -1 : version - 1)',
    replace: 'versions.at(version === undefined ? 0 : version - 1)',
    tests: restoring,
  },
  {
    id: 'rm-without-reading-back',
    file: remove,
    find: '(await damageOf(reader, manifest, archived)) === undefined;',
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
