import { existsSync } from 'node:fs';
import { isSeq } from 'yaml';
import { Semaphore } from '../queue/semaphore.ts';
import { documentToChange } from '../text/parse-yaml.ts';
import { writeFileAtomic } from './atomic-file.ts';
import { readText } from './read-text.ts';

/** A list in a YAML file that changes. Comments and other entries stay. */
interface YamlList {
  readonly values: readonly unknown[];
  readonly add: (value: unknown) => void;
  readonly remove: (at: number) => void;
  /** Sets a key of an entry; undefined removes the key. */
  readonly set: (at: number, key: string, value: unknown) => void;
}

/** Serializes changes. Otherwise, the later of two concurrent changes would undo the other. */
const writing = new Semaphore(1);

/**
 * Changes the list under a key of a YAML file that people also edit. The file is replaced as a whole, or not at all.
 *
 * @param check throws if the file is invalid; then nothing is written
 * @param change makes one change, or throws
 */
export async function changeYamlList<T>(
  { path, key }: { readonly path: string; readonly key: string },
  check: () => Promise<unknown>,
  change: (list: YamlList) => T,
): Promise<T> {
  return await writing.run(async () => {
    await check();
    const document = documentToChange(existsSync(path) ? await readText(path) : '');
    const known = document.get(key);
    const items = isSeq(known) ? known.items : [];
    const result = change({
      values: items.map((item) => document.createNode(item).toJS(document)),
      add(value) {
        if (items.length === 0) document.set(key, [value]);
        else document.addIn([key], document.createNode(value));
      },
      remove: (at) => document.deleteIn([key, at]),
      set(at, name, value) {
        if (value === undefined) document.deleteIn([key, at, name]);
        else document.setIn([key, at, name], value);
      },
    });
    await writeFileAtomic(path, document.toString({ lineWidth: 0 }));
    return result;
  });
}
