import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, test } from 'vitest';
import { ENDPOINTS } from '../../../src/client/endpoints.ts';
import { openApiDocument } from '../../../src/client/openapi/openapi.ts';
import type { JsonObject } from '../../../src/client/openapi/openapi-schemas.ts';

const document = openApiDocument('https://service.example');
const plain = JSON.parse(JSON.stringify(document)) as Record<string, unknown>;

test('a public validator accepts the document, with and without an address', async () => {
  for (const one of [document, openApiDocument()]) {
    const validator = new Validator();
    const result = await validator.validate(JSON.parse(JSON.stringify(one)) as Record<string, unknown>);
    expect(result.errors).toBeUndefined();
    expect(result.valid).toBe(true);
    expect(validator.version).toBe('3.1');
  }
});

test('every reference resolves, and every component is used', () => {
  const references = [...JSON.stringify(plain).matchAll(/"\$ref":"#\/([^"]+)"/g)].map((match) => match[1]);
  expect(references.length).toBeGreaterThan(100);
  for (const reference of references) {
    const target = String(reference)
      .split('/')
      .reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], plain);
    expect(target, reference).toBeDefined();
  }
  for (const name of Object.keys(document.components.schemas)) {
    expect(references).toContain(`components/schemas/${name}`);
  }
});

test('every operation is listed with its scope, section and all errors', () => {
  const found = new Map(
    Object.values(document.paths)
      .flatMap((methods) => Object.values(methods))
      .flatMap((operation) => operation['x-operations'].map((id) => [id, operation] as const)),
  );
  expect([...found.keys()].sort()).toEqual(Object.keys(ENDPOINTS).sort());
  for (const [id, operation] of found) {
    const { scope, source, errors, path } = ENDPOINTS[id];
    expect(operation.security).toEqual([
      { bearerAuth: [scope] },
      { oauth2: [scope.replace('projects:', 'project:')] },
    ]);
    expect(operation['x-source']).toBe(source);
    const inPath = operation.parameters.filter((parameter) => parameter.in === 'path');
    expect(inPath.map(({ name }) => `{${name}}`)).toEqual(path.match(/\{\w+\}/g) ?? []);
    const told = JSON.stringify(
      Object.values(operation.responses).map((response) => {
        const name = (response as { $ref?: string }).$ref?.split('/').at(-1);
        return name === undefined ? response : document.components.responses[name];
      }),
    );
    for (const error of [...errors, 'unauthorized', 'forbidden', 'internal_error'])
      expect(told, `${id} ${error}`).toContain(`\`${error}\``);
  }
});

test('operation ids are unique, and named as the client names its methods', () => {
  const ids = Object.values(document.paths).flatMap((methods) =>
    Object.values(methods).map(({ operationId }) => operationId),
  );
  expect(new Set(ids).size).toBe(ids.length);
});

test('a search and its export are one operation that describes both', () => {
  const operation = document.paths['/data/crawl/{crawl_id}/{data_type}']?.post;
  expect(operation?.['x-operations']).toEqual(['searchCrawl', 'exportCrawl']);
  expect(operation?.parameters.find(({ name }) => name === 'export')).toMatchObject({
    required: false,
    schema: { enum: ['false', 'true'] },
  });
  const success = operation?.responses['200'] as { content: JsonObject };
  expect(Object.keys(success.content)).toEqual(['application/json', 'text/csv', 'application/x-ndjson']);
});

test('types without a zod schema are written as on the wire', () => {
  const { schemas } = document.components as unknown as {
    schemas: Record<string, Record<string, JsonObject>>;
  };
  expect(schemas.SearchBody?.properties?.oql).toEqual({
    anyOf: [{ $ref: '#/components/schemas/Oql' }, { type: 'null' }],
  });
  expect(JSON.stringify(plain)).not.toMatch(/"wire"|9007199254740991|"\$defs"/);
  expect(schemas.CrawlConfigInput?.properties?.max_speed).toMatchObject({ type: 'number' });
});

test.each([
  ['/workspaces/{workspace_id}/projects', ['id', 'name', 'start_url', 'features']],
  ['/workspaces/{workspace_id}/crawls', ['id', 'user_id', 'project_id', 'status', 'created_at']],
  ['/workspaces/{workspace_id}/crawl_over_crawls', ['id', 'user_id', 'project_id', 'status', 'created_at']],
  ['/projects/{project_id}/ingest_files', ['id', 'name', 'status', 'kind', 'created_at']],
  ['/workspaces/{workspace_id}/secrets', ['name', 'type']],
  [
    '/workspaces/{workspace_id}/data_exports',
    [
      'id',
      'status',
      'requested_at',
      'created_at',
      'size_bytes',
      'row_count',
      'data_type',
      'output_format',
      'resource_id',
    ],
  ],
])('the list %s documents its sort and filter fields', (path, fields) => {
  const schemaOf = (name: string): JsonObject | undefined =>
    document.paths[path]?.get?.parameters.find((parameter) => parameter.name === name)?.schema;
  expect(schemaOf('sort')).toEqual({
    type: 'string',
    enum: fields.flatMap((field) => [`${field}:asc`, `${field}:desc`]),
  });
  expect(schemaOf('filters')).toEqual({ type: 'string', 'x-filter-fields': fields });
});

test('lists without a specified sort say so, or have no sort parameter', () => {
  const names = (path: string) => document.paths[path]?.get?.parameters.map(({ name }) => name);
  expect(names('/projects/{project_id}/scheduled_crawls')).toEqual(['project_id', 'offset', 'limit']);
  const sort = document.paths['/workspaces']?.get?.parameters.find(({ name }) => name === 'sort');
  expect(sort).toMatchObject({ schema: { type: 'string' }, description: expect.stringContaining('none') });
});
