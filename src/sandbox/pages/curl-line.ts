import type { OpenApiDocument } from '../../api/openapi.ts';
import type { Operation } from '../../api/openapi-operation.ts';
import type { JsonObject } from '../../api/openapi-schemas.ts';
import { exampleOf } from './example-of.ts';

/** Bodies that show more than what must be there. */
const BODIES: Readonly<Record<string, unknown>> = {
  '/data/crawl/{crawl_id}/{data_type}': {
    fields: ['url', 'status_code'],
    oql: { field: ['status_code', 'gte', 400] },
    limit: 10,
  },
  '/data/crawl/{crawl_id}/{data_type}/aggs': { aggs: [{ fields: [{ name: 'status_code' }] }] },
};

/** A request as a line of shell; what stands in the path are variables, the token is `$TOKEN`. */
export function curlLine(
  document: OpenApiDocument,
  method: string,
  path: string,
  operation: Operation,
): string {
  const { schemas } = document.components;
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const known = operation.parameters.find((parameter) => parameter.name === name)?.schema.enum;
    return Array.isArray(known) ? String(known[0]) : `$${name.toUpperCase()}`;
  });
  const query = operation.parameters
    .filter((parameter) => parameter.in === 'query' && parameter.required)
    .map(({ name }) => `${name}=$${name.replace(/[A-Z]/g, '_$&').toUpperCase()}`);
  const url = `${document.servers[0]?.url}${filled}${query.length > 0 ? `?${query.join('&')}` : ''}`;
  return [
    'curl -s',
    ...(method === 'get' || (method === 'post' && operation.requestBody)
      ? []
      : [`-X ${method.toUpperCase()}`]),
    '-H "Authorization: Bearer $TOKEN"',
    `"${url}"`,
    ...bodyOf(path, operation, schemas),
  ].join(' ');
}

function bodyOf(path: string, { requestBody }: Operation, schemas: JsonObject): string[] {
  const [[type, media] = []] = Object.entries(requestBody?.content ?? {});
  if (type === undefined) return [];
  if (type === 'multipart/form-data') return ['-F file=@urls.csv'];
  const example = BODIES[path] ?? exampleOf((media as { schema: JsonObject }).schema, schemas);
  const body = JSON.stringify(example);
  return ['-H "Content-Type: application/json"', `-d '${body.replaceAll("'", `'\\''`)}'`];
}
