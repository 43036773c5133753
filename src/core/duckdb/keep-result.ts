import { hash } from 'node:crypto';
import { deserialize, serialize } from 'node:v8';
import { writeFileAtomic } from '../files/atomic-file.ts';
import { host } from '../host/host.ts';
import { packageVersion } from '../host/package-version.ts';
import { DUCKDB_VERSION } from './duckdb.ts';

/** The place of a stored result, and its inputs. */
export interface KeptAs {
  /** The file of the last result; its folder need not exist. */
  readonly file: string;
  /** All inputs of the result, except the versions of this program, of DuckDB and of V8. */
  readonly inputs: unknown;
}

/**
 * Returns the result of work that depends only on its inputs: the one that an earlier process stored for equal inputs,
 * or a new one. It may contain maps and sets, but no functions. If the file is lost or damaged, the work is repeated.
 *
 * @param work receives the stored result for other inputs of the same versions, if any
 */
export async function keepResult<T>(
  { file, inputs }: KeptAs,
  work: (former: T | undefined) => Promise<T>,
): Promise<T> {
  const versions = hashOf([await packageVersion(), await programTime(), DUCKDB_VERSION, process.versions.v8]);
  const key = `${versions} ${hashOf(inputs)}`;
  const { files } = host();
  // If nothing is stored or readable, the work is repeated.
  const kept = await files.readFile(file, 'utf8').catch(() => '');
  const [formerKey = '', sum, text = ''] = kept.split('\n');
  const isWhole = formerKey.startsWith(versions) && hash('sha256', text) === sum;
  const former: T | undefined = isWhole ? deserialize(Buffer.from(text, 'base64')) : undefined;
  if (former !== undefined && formerKey === key) return former;
  const result = await work(former);
  const made = serialize(result).toString('base64');
  // If the result cannot be stored, the next process repeats the work.
  await writeFileAtomic(file, `${key}\n${hash('sha256', made)}\n${made}`, 0o600).catch(() => {});
  return result;
}

/** Returns a hash over everything in a value that JSON can represent, including maps and sets. */
export function hashOf(value: unknown): string {
  return hash('sha256', JSON.stringify(value, withLists));
}

/** Returns the time of this build, because two builds of the same version may differ. */
async function programTime(): Promise<number> {
  const { stat } = host().files;
  // A simulated machine has no program.
  const found = await stat(import.meta.filename).catch(() => null);
  return found?.mtimeMs ?? 0;
}

/** Converts maps to lists, because JSON has no maps. Omits functions, because they follow from the other values. */
function withLists(_: string, value: unknown): unknown {
  return value instanceof Map ? [...value] : value instanceof Set ? [...value] : value;
}
