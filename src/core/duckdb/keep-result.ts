import { hash } from 'node:crypto';
import { deserialize, serialize } from 'node:v8';
import { writeFileAtomic } from '../files/atomic-file.ts';
import { host } from '../host/host.ts';
import { packageVersion } from '../host/package-version.ts';
import { DUCKDB_VERSION } from './duckdb.ts';

/** Where a result is kept, and what it follows from. */
export interface KeptAs {
  /** Of the last result; its folder need not be there. */
  readonly file: string;
  /** Everything that the result follows from, but the versions of this program, of DuckDB and of V8. */
  readonly inputs: unknown;
}

/**
 * The result of work that follows from its inputs alone: the one that an earlier process kept for the same inputs, or
 * a new one. It may have maps and sets, and no functions. A file that is lost or damaged costs the work alone.
 *
 * @param work gets the result that is kept for other inputs of the same versions, if any
 */
export async function keepResult<T>(
  { file, inputs }: KeptAs,
  work: (former: T | undefined) => Promise<T>,
): Promise<T> {
  const versions = hashOf([await packageVersion(), await programTime(), DUCKDB_VERSION, process.versions.v8]);
  const key = `${versions} ${hashOf(inputs)}`;
  const { files } = host();
  // Nothing is kept yet, or it can't be read: then the work is done again.
  const kept = await files.readFile(file, 'utf8').catch(() => '');
  const [formerKey = '', sum, text = ''] = kept.split('\n');
  const isWhole = formerKey.startsWith(versions) && hash('sha256', text) === sum;
  const former: T | undefined = isWhole ? deserialize(Buffer.from(text, 'base64')) : undefined;
  if (former !== undefined && formerKey === key) return former;
  const result = await work(former);
  const made = serialize(result).toString('base64');
  // The work is done: where nothing can be kept, the next process does it again.
  await writeFileAtomic(file, `${key}\n${hash('sha256', made)}\n${made}`, 0o600).catch(() => {});
  return result;
}

/** Changes with anything that JSON can tell of a value, or of a map or set in it. */
export function hashOf(value: unknown): string {
  return hash('sha256', JSON.stringify(value, withLists));
}

/** A build of the same version may do the work in another way. */
async function programTime(): Promise<number> {
  const { stat } = host().files;
  // A simulated machine has no program.
  const found = await stat(import.meta.filename).catch(() => null);
  return found?.mtimeMs ?? 0;
}

/** JSON has no maps; functions are left out, as they follow from what stands beside them. */
function withLists(_: string, value: unknown): unknown {
  return value instanceof Map ? [...value] : value instanceof Set ? [...value] : value;
}
