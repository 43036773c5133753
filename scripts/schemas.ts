import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { editorSchemas } from '../src/people/settings/editor-schemas.ts';

/** Writes `schemas/`, by which editors check crawlhouse.yaml, schedules.yaml and pipelines/*.yaml. */
const folder = join(import.meta.dirname, '..', 'schemas');
mkdirSync(folder, { recursive: true });
for (const [name, schema] of Object.entries(editorSchemas()))
  writeFileSync(join(folder, name), `${JSON.stringify(schema, null, 2)}\n`);
