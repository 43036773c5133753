import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, test } from 'vitest';
import { PAGES } from '../../../../src/app/console/pages/all-pages.ts';
import { consoleApi } from '../../../../src/app/console/server/console-openapi.ts';

test('a public validator accepts the OpenAPI document of the console', async () => {
  const document = JSON.parse(JSON.stringify(consoleApi(PAGES, '0.1.0'))) as Record<string, unknown>;
  const result = await new Validator().validate(document);
  expect(result).toMatchObject({ valid: true });
  expect(Object.keys(document.paths as object).length).toBe(PAGES.length);
  expect(document).toMatchObject({ paths: { '/index.json': { get: { responses: { 200: {} } } } } });
});
