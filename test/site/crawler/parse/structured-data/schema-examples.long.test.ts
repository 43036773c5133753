import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parsed } from '../../../../support/fetched-page.ts';

/** A checkout of github.com/schemaorg/schemaorg; the counts are those of one of its commits. */
const FOLDER = process.env.SCHEMA_ORG ?? '';
const HAS_EXAMPLES = existsSync(join(FOLDER, 'data', 'examples.txt'));
const COUNTS = JSON.parse(readFileSync(join(import.meta.dirname, 'schema-examples.json'), 'utf8'));
if (!HAS_EXAMPLES)
  console.warn(
    `skipped: SCHEMA_ORG is to name a checkout of github.com/schemaorg/schemaorg@${COUNTS.commit}`,
  );

interface Example {
  readonly format: string;
  readonly html: string;
}

/** The examples as pages, one for each format that has markup. */
function examples(): Example[] {
  const files = globSync('data/{*,ext/**/*}examples*.txt', { cwd: FOLDER }).toSorted();
  return files.flatMap((file) =>
    readFileSync(join(FOLDER, file), 'utf8')
      .split(/^(?=TYPES:)/m)
      .flatMap(markupOf),
  );
}

function markupOf(example: string): Example[] {
  const pieces = example.split(/^(TYPES|PRE-MARKUP|MICRODATA|RDFA|JSON):/m);
  return pieces.flatMap((format, at) => {
    const text = (pieces[at + 1] ?? '').trim();
    if (!/^(?:MICRODATA|RDFA|JSON)$/.test(format) || !/[{]|itemscope|typeof/.test(text)) return [];
    const isBare = /^[{[]/.test(text);
    return [{ format, html: isBare ? `<script type="application/ld+json">${text}</script>` : text }];
  });
}

test.skipIf(!HAS_EXAMPLES)('the examples of schema.org are classified', () => {
  const counts: Record<string, number> = {};
  const lacking: Record<string, number> = {};
  const count = (of: Record<string, number>, name: string): void => {
    of[name] = (of[name] ?? 0) + 1;
  };
  for (const { format, html } of examples()) {
    const { items } = parsed(`<body>${html}</body>`);
    count(counts, `${format}: ${items.length === 0 ? 'examples without an item' : 'examples'}`);
    for (const { valid, type, missing_properties } of items) {
      count(counts, `${format}: ${valid ? 'valid' : 'invalid'} items`);
      if (!valid) count(lacking, `${type}: ${(missing_properties ?? []).join(', ')}`);
    }
  }
  expect({ commit: COUNTS.commit, counts, lacking }).toEqual(COUNTS);
});
