// The digests of the standard's indexes: node test/core/text/encodings/make-digests.ts indexes.json > digests.json
// indexes.json is of https://github.com/whatwg/encoding (commit a985b62, 2026-05-21); it stays out of the repository.
import { readFileSync } from 'node:fs';
import { digestOf, WALKS, type Walk } from './walks.ts';

type Indexes = Readonly<Record<string, readonly (number | null | readonly [number, number])[]>>;

const indexes = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as Indexes;

function codePoints({ index }: Walk): (pointer: number) => number | null {
  const entries = indexes[index] ?? [];
  return (pointer) => {
    if (index !== 'gb18030-ranges') return (entries[pointer] as number | null | undefined) ?? null;
    // The last range that begins at or before a pointer (https://encoding.spec.whatwg.org/#index-gb18030-ranges).
    if (pointer === 7457) return 0xe7c7;
    const ranges = entries as readonly (readonly [number, number])[];
    const [first, codePoint] = ranges.findLast(([begin]) => begin <= pointer) ?? [0, 0];
    return codePoint + pointer - first;
  };
}

const digests = WALKS.map((walk) => ({
  encoding: walk.encoding,
  index: walk.index,
  ...digestOf(walk, codePoints(walk)),
}));
process.stdout.write(`${JSON.stringify(digests, null, 2)}\n`);
