import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { documentSchemas } from '../src/app/cli/reports/documents.ts';
import { editorSchemas } from '../src/app/settings/editor-schemas.ts';

/** Writes `schemas/`: of crawlhouse.yaml, schedules.yaml and pipelines/*.yaml for editors, and of what `--json` prints. */
const folder = join(import.meta.dirname, '..', 'schemas');
mkdirSync(folder, { recursive: true });
for (const [name, schema] of Object.entries({ ...editorSchemas(), ...documentSchemas() }))
  writeFileSync(join(folder, name), `${JSON.stringify(schema, null, 2)}\n`);
