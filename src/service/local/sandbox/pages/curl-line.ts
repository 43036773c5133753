import { lookUp } from '../../../../core/text/look-up.ts';
import type { OpenApiDocument } from '../../../api/openapi/openapi.ts';
import type { Operation } from '../../../api/openapi/openapi-operation.ts';
import type { JsonObject } from '../../../api/openapi/openapi-schemas.ts';
import { type ExampleValues, exampleOf } from './example-of.ts';

const FORM = 'multipart/form-data';
/** A file to upload, for the standard input of curl. */
const UPLOADED = "printf 'url\\nhttps://www.example.com/\\n' |";

/** Bodies that show more than what must be there. */
const BODIES: Readonly<Record<string, unknown>> = {
  '/data/crawl/{crawl_id}/{data_type}': {
    fields: ['url', 'status_code'],
    oql: { field: ['status_code', 'gte', 400] },
    limit: 10,
  },
  '/data/crawl/{crawl_id}/{data_type}/aggs': { aggs: [{ fields: [{ name: 'status_code' }] }] },
};

export interface Entry {
  /** In lower case. */
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

/** Shell variables for parameters without a value. */
function variable(name: string): string {
  return `$${name.replace(/[A-Z]/g, '_$&').toUpperCase()}`;
}

/**
 * A request as a shell line that runs when pasted, with the token that `sandbox start` exports. A parameter that
 * `values` does not name is a variable.
 */
export function curlLine(
  document: OpenApiDocument,
  { method, path, operation }: Entry,
  values: ExampleValues,
): string {
  const { schemas } = document.components;
  const wordFor = (name: string): string => String(values[name] ?? variable(name));
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const known = operation.parameters.find((parameter) => parameter.name === name)?.schema.enum;
    return Array.isArray(known) ? String(known[0]) : wordFor(name);
  });
  const query = operation.parameters
    .filter((parameter) => parameter.in === 'query' && parameter.required)
    .map(({ name }) => `${name}=${wordFor(name)}`);
  const url = `${document.servers[0]?.url}${filled}${query.length > 0 ? `?${query.join('&')}` : ''}`;
  const isUpload = Object.hasOwn(operation.requestBody?.content ?? {}, FORM);
  return [
    ...(isUpload ? [UPLOADED] : []),
    'curl -s',
    ...(method === 'get' || (method === 'post' && operation.requestBody)
      ? []
      : [`-X ${method.toUpperCase()}`]),
    '-H "Authorization: Bearer $CRAWLHOUSE_ACCESS_TOKEN"',
    `"${url}"`,
    ...bodyOf(path, operation, schemas, values),
  ].join(' ');
}

function bodyOf(
  path: string,
  { requestBody }: Operation,
  schemas: JsonObject,
  values: ExampleValues,
): string[] {
  const [[type, media] = []] = Object.entries(requestBody?.content ?? {});
  if (type === undefined) return [];
  if (type === FORM) return ['-F "file=@-;filename=urls.csv"'];
  const example =
    lookUp(BODIES, path) ?? exampleOf((media as { schema: JsonObject }).schema, schemas, values);
  const body = JSON.stringify(example);
  return ['-H "Content-Type: application/json"', `-d '${body.replaceAll("'", `'\\''`)}'`];
}
