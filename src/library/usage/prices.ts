// Files on the disk → the prices to count with: the bundled table, over it the table that `clew prices update` wrote, over
// that the user's own prices. A file that cannot be used is named, and the others are used without it.
import path from 'node:path';
import { systemErrorCode, UserError } from '../../base/errors/errors.ts';
import { readRegularText } from '../../base/files/regular-file.ts';
import { bundledPrices, type Prices } from '../../models/price-list.ts';
import { isTableText, layFlat, layTable, PriceProblem, readPriceTable } from '../../models/price-table.ts';
import { diskError } from '../../store/disk.ts';
import { stateFolder } from '../../store/roots.ts';

/** Where `clew prices update` writes, and where users may put prices of their own. */
export function pricesFile(env: NodeJS.ProcessEnv = process.env): string {
  return path.join(stateFolder(env), 'prices.json');
}

/** No table is larger. */
export const maxTableBytes: number = 4 * 1024 * 1024;

/**
 * The bundled prices, with `prices.json` of Clew's state folder and the file that `CLEW_PRICES` names laid over them. A
 * named file that cannot be used is an error.
 */
export function loadPrices(env: NodeJS.ProcessEnv = process.env): Prices {
  const named = env.CLEW_PRICES;
  const kept = loadKept(pricesFile(env), Boolean(named));
  return named ? loadNamed(path.resolve(named), kept) : kept;
}

function loadKept(file: string, isNamedBeside: boolean): Prices {
  try {
    const text = readRegularText(file, { maxBytes: maxTableBytes });
    // Flat prices are the user's own, and CLEW_PRICES names other ones.
    if (isNamedBeside && !isTableText(text)) return bundledPrices;
    if (!isTableText(text)) return layFlat(bundledPrices, text, file, path.basename(file));
    const table = readPriceTable(text);
    if (table.version >= bundledPrices.version) return layTable(bundledPrices, table, text, file);
    return withNotice(
      `${file} is of ${table.version}, older than the prices of ${bundledPrices.version} that come with Clew`,
    );
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(systemErrorCode(error) ?? '')) return bundledPrices;
    if (error instanceof PriceProblem) return withNotice(`${file} cannot be used: ${error.message}`);
    if (error instanceof UserError) return withNotice(error.message);
    if (systemErrorCode(error) === undefined) throw error;
    return withNotice(`cannot read ${file} (${systemErrorCode(error)})`);
  }
}

function withNotice(what: string): Prices {
  const next = `the prices of ${bundledPrices.version} are used; delete it, or run \`clew prices update FILE\``;
  return { ...bundledPrices, notices: [`${what}; ${next}`] };
}

function loadNamed(file: string, base: Prices): Prices {
  const text = readNamed(file);
  try {
    if (isTableText(text)) return layTable(base, readPriceTable(text), text, file);
    return layFlat(base, text, file, path.basename(file));
  } catch (error) {
    if (!(error instanceof PriceProblem)) throw error;
    throw new UserError(
      `${file} cannot be used: ${error.message}`,
      'write it as docs/prices.md shows, or unset CLEW_PRICES',
    );
  }
}

function readNamed(file: string): string {
  try {
    return readRegularText(file, { maxBytes: maxTableBytes });
  } catch (error) {
    const isMissing = ['ENOENT', 'ENOTDIR'].includes(systemErrorCode(error) ?? '');
    if (isMissing) throw new UserError(`there is no ${file}`, 'set CLEW_PRICES to a file of prices, or unset it');
    throw diskError(error, 'read', file);
  }
}
