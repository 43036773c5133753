import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { expect, test } from 'vitest';
import { documentSchemas } from '../../../../src/app/cli/reports/documents.ts';
import { crawlhouse, rawProjectFolder, sandboxFor, setFaults } from '../../../support/project.ts';

interface Schema {
  readonly type?: string;
  readonly properties?: Record<string, Schema>;
  readonly [key: string]: unknown;
}

/** The same schema without the leave for keys of later versions. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const own = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, closed(value)]),
  ) as Schema;
  return own.properties === undefined ? own : { ...own, additionalProperties: false };
}

function faultsOf(name: string, document: unknown, isClosed = true) {
  const schema = documentSchemas()[`${name}.schema.json`] as object;
  const fits = new Ajv({ strict: true, allowUnionTypes: true }).compile(
    (isClosed ? closed(schema) : schema) as object,
  );
  return fits(document) ? [] : fits.errors;
}

test('JSON documents of commands match their schemas, without missing or extra keys', async () => {
  const sandbox = await sandboxFor({ generate: ['projects=1,crawls=5,pages=20,links=0,seed=5'] });
  const folder = await rawProjectFolder();
  await writeFile(join(folder, 'crawlhouse.yaml'), 'shipped_models: none\nalerts:\n  command: ["false"]\n');
  const documents: Record<string, Record<string, unknown>> = {};
  const print = async (name: string, args: readonly string[]): Promise<void> => {
    const { stdout } = await crawlhouse(folder, sandbox, [...args, '--json']);
    documents[name] = JSON.parse(stdout);
    expect([name, faultsOf(name, documents[name])]).toEqual([name, []]);
  };
  await print('discover', ['discover']);
  await print('plan', ['run', '--plan']);
  await print('run', ['run', 'projects', 'crawls', 'crawl_pages']);
  await print('status', ['status']);
  await print('doctor', ['doctor']);
  await print('doctor-upgrade', ['doctor', '--upgrade']);
  await print('alerts-test', ['alerts', 'test']);
  await print('error', ['run', 'no_such_pipeline']);
  await setFaults(sandbox, [{ match: { path: '/data/crawl/' }, kind: 'status', status: 503 }]);
  await print('run', ['run', 'crawl_links']);
  await print('status', ['status']);
  for (const [name, document] of Object.entries(documents)) {
    const optional = ['healed', 'drift'];
    for (const key of Object.keys(document).filter((one) => !optional.includes(one))) {
      const { [key]: _, ...less } = document;
      expect([name, key, faultsOf(name, less, false)]).not.toEqual([name, key, []]);
    }
    expect(faultsOf(name, { ...document, key_of_a_later_version: 1 }, false)).toEqual([]);
  }
  const [project] = (documents.status?.freshness ?? []) as Record<string, unknown>[];
  expect(project).toMatchObject({ interval: expect.any(Number), late: expect.any(Boolean) });
  expect(Date.parse(String(project?.expected_by))).toBeGreaterThan(Date.parse(String(project?.ended_at)));
});
