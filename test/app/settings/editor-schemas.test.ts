import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { documentSchemas } from '../../../src/app/cli/reports/documents.ts';
import { editorSchemas } from '../../../src/app/settings/editor-schemas.ts';
import { gaps } from '../../support/gaps.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const SCHEMAS = join(ROOT, 'schemas');
const schemas = { ...editorSchemas(), ...documentSchemas() };

function validator(name: string) {
  const ajv = new Ajv({ strict: true, allowUnionTypes: true });
  addFormats.default(ajv);
  return ajv.compile(schemas[name] as object);
}

test('the files of schemas/ are current: npm run schemas', async () => {
  const found = gaps(Object.keys(schemas), await readdir(SCHEMAS), {
    adds: 'a setting',
    missing: (name) => `schemas/${name} is missing: npm run schemas`,
    extra: (name) => `schemas/${name} is made by nothing: delete it`,
  });
  expect(found).toEqual([]);
  for (const [name, schema] of Object.entries(schemas))
    expect(await readFile(join(SCHEMAS, name), 'utf8'), `schemas/${name} is old: npm run schemas`).toBe(
      `${JSON.stringify(schema, null, 2)}\n`,
    );
});

test('every shipped YAML file names its schema and matches it', async () => {
  const pipelines = (await readdir(join(ROOT, 'pipelines'))).map((name) => join('pipelines', name));
  for (const file of ['schedules.yaml', ...pipelines]) {
    const text = await readFile(join(ROOT, file), 'utf8');
    const named = /^# yaml-language-server: \$schema=(\S+)\n/.exec(text)?.[1] ?? 'none';
    const name = file === 'schedules.yaml' ? 'schedules.schema.json' : 'pipeline.schema.json';
    expect(resolve(ROOT, file, '..', named)).toBe(join(SCHEMAS, name));
    const fits = validator(name);
    fits(parse(text));
    expect([file, fits.errors]).toEqual([file, null]);
  }
});

test.for([
  ['schedules.schema.json', 'schedules: [{ name: a, cron: "0 6 * * *", overlap: both }]'],
  ['schedules.schema.json', 'schedules: [{ name: a }]'],
  ['schedules.schema.json', 'schedules: [{ name: a, cron: x, crn: y }]'],
  ['crawlhouse.schema.json', 'warehose: x'],
  ['crawlhouse.schema.json', 'alerts: { format: mail }'],
  ['crawlhouse.schema.json', 'store_b: { bucket: b }'],
  ['pipeline.schema.json', 'dataset: a\ndescription: b\nsource: { kind: crawls, data_type: pages }'],
] as const)('%s refuses %s', ([name, text]) => {
  expect(validator(name)(parse(text))).toBe(false);
});

test.for([
  'alerts: { webhook: "$NAME", command: [page], events: [] }',
  'since: 2026-01-31\nkeep_raw: { days: 3 }\nprojects: [one]',
  'base_url: $NAME\nstore_b: { bucket: b, region: r }\nvolume_check: { hold: true }',
])('settings may be %s', (text) => {
  const fits = validator('crawlhouse.schema.json');
  // An editor sees the reference to a variable, not what it stands for.
  fits(parse(text.replaceAll('$NAME', `\${NAME}`)));
  expect(fits.errors).toBeNull();
});

test('every setting has a description', () => {
  const { properties } = schemas['crawlhouse.schema.json'] as { properties: Record<string, object> };
  const silent = Object.entries(properties).filter(([, one]) => !('description' in one));
  expect(silent.map(([key]) => key)).toEqual([]);
});
