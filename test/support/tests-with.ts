import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..');

/** Test files in which a text stands, and a pattern of the names of those tests that have it. */
export function testsWith(
  part: string,
  files: readonly string[],
): { readonly files: readonly string[]; readonly pattern: string } {
  const found = files.flatMap((file) => {
    const [, ...tests] = readFileSync(join(ROOT, file), 'utf8').split(/^test(?:\.\w+)*\(/m);
    const names = tests
      .filter((body) => body.includes(part))
      .flatMap((body) => /^'((?:[^'\\]|\\.)*)'/.exec(body)?.[1] ?? []);
    return names.map((name) => ({ file, name }));
  });
  return {
    files: [...new Set(found.map(({ file }) => file))],
    pattern: found.map(({ name }) => RegExp.escape(name.replaceAll('\\', ''))).join('|'),
  };
}
