import { z } from 'zod';
import { type JsonObject, OpenApiSchemas } from '../../../client/openapi/openapi-schemas.ts';
import type { Page } from '../page-parts/console-page.ts';

/** An error as in every document (docs/errors.md). */
const Failure = z
  .object({ error: z.object({ code: z.string(), message: z.string(), hint: z.string().nullable() }) })
  .meta({ id: 'Failure', description: 'What happened and what to do.' });

export function consoleApi(pages: readonly Page<unknown>[], version: string): JsonObject {
  const schemas = new OpenApiSchemas();
  const content = (schema: z.ZodType): JsonObject => ({
    'application/json': { schema: schemas.of(schema, 'output') },
  });
  const schema = { type: 'string' };
  const failure = (description: string): JsonObject => ({ description, content: content(Failure) });
  const paths = pages.map((page): [string, JsonObject] => [
    jsonPath(page.path)
      .replaceAll(/:(\w+)/g, '{$1}')
      .replace('*', '{name}'),
    {
      get: {
        summary: page.summary,
        parameters: [
          ...parametersOf(page.path).map((name) => ({ name, in: 'path', required: true, schema })),
          ...Object.entries(page.query ?? {}).map(([name, description]) => {
            return { name, in: 'query', description, schema };
          }),
        ],
        responses: {
          200: { description: 'The content of the page.', content: content(page.schema) },
          400: failure('A parameter is invalid.'),
          401: failure('Sign-in is required.'),
          403: failure('The page is for others, or another site links to it.'),
          404: failure('Not found, or nothing is published yet.'),
          500: failure('The page could not be read.'),
        },
      },
    },
  ]);
  return {
    openapi: '3.1.0',
    info: {
      title: 'The console of crawlhouse',
      version,
      description: 'Each page of the console as JSON. Times are ISO 8601 in UTC.',
    },
    paths: Object.fromEntries(paths),
    components: {
      schemas: schemas.components(),
      securitySchemes: {
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: 'crawlhouse-session-8092',
          description:
            'The number is the port of the console. Over TLS the name is __Host-crawlhouse-session.',
        },
      },
    },
    security: [{ session: [] }],
  };
}

export function jsonPath(path: string): string {
  return path === '/' ? '/index.json' : `${path}.json`;
}

function parametersOf(path: string): string[] {
  const named = [...path.matchAll(/:(\w+)/g)].map(([, name]) => String(name));
  return path.includes('*') ? [...named, 'name'] : named;
}
