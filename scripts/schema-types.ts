import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { GOOGLE_RULES } from '../src/site/crawler/parse/structured-data/google-rules.ts';

/**
 * Writes the subtypes of the types that have rules, from schema.org's own list of types: `npm run schema-types --
 * schemaorg-current-https-types.csv 30.0`. The file is in https://github.com/schemaorg/schemaorg, under data/releases.
 */
const [, , file = '', version = ''] = process.argv;
const rows = parse(await readFile(file, 'utf8'), { columns: true }) as Record<'id' | 'subTypeOf', string>[];
const nameOf = (id: string): string => id.trim().replace('https://schema.org/', '');
const children = new Map<string, string[]>();
for (const { id, subTypeOf } of rows)
  for (const parent of subTypeOf.split(',').map(nameOf).filter(Boolean))
    children.set(parent, [...(children.get(parent) ?? []), nameOf(id)].toSorted());
const lines: string[] = [];
const pending = Object.keys(GOOGLE_RULES).toSorted();
for (const type of pending) {
  const below = children.get(type) ?? [];
  if (below.length > 0) lines.push(`  ${type}: '${below.join(' ')}',`);
  pending.push(...below.filter((one) => !pending.includes(one)));
}
await writeFile(
  join(import.meta.dirname, '../src/site/crawler/parse/structured-data/schema-types.ts'),
  `/**
 * The subtypes of each type that has rules, and theirs. Written by \`scripts/schema-types.ts\`, of schema.org ${version}:
 * https://github.com/schemaorg/schemaorg/blob/main/data/releases/${version}/schemaorg-current-https-types.csv
 */
export const SUBTYPES: Readonly<Record<string, string>> = {
${lines.toSorted().join('\n')}
};
`,
);
