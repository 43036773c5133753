import type { OpenApiDocument } from '../../../client/openapi/openapi.ts';
import type { Operation } from '../../../client/openapi/openapi-operation.ts';
import type { JsonObject } from '../../../client/openapi/openapi-schemas.ts';
import { lookUp } from '../../../core/text/look-up.ts';

const FORM = 'multipart/form-data';
/** A file to upload, for the standard input of curl. */
const UPLOADED = "printf 'url\\nhttps://www.example.com/\\n' |";

/** Bodies that show more than the required keys. */
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
 * Returns a request as a shell line that runs when pasted, with the token that `sandbox start` exports. A parameter
 * that `values` does not name is a variable.
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

/** Values that are more telling than a value by type. */
const KNOWN: Readonly<Record<string, unknown>> = {
  Oql: { field: ['status_code', 'gte', 400] },
  RankingQuery: {
    fields: ['query'],
    oql: { field: ['date', 'gte', '2026-11-01'] },
    value: [{ field: 'clicks', method: 'sum', alias: 'clicks' }],
  },
};
const BY_NAME: Readonly<Record<string, unknown>> = {
  start_url: 'https://www.example.com/',
  max_speed: 1,
  user_agent: 'ExampleBot',
  command: 'pause',
  value: 'e30=',
  name: 'example',
  // The year 2100: a crawl cannot be scheduled in the past.
  start_date: 4_102_444_800_000,
};

export type ExampleValues = Readonly<Record<string, unknown>>;

/**
 * Returns an example of a value that a schema accepts: only the required keys, with the values that are known by name.
 */
function exampleOf(schema: JsonObject, components: JsonObject, values: ExampleValues, name = ''): unknown {
  if (typeof schema.$ref === 'string') {
    const id = schema.$ref.split('/').at(-1) ?? '';
    return lookUp(KNOWN, id) ?? exampleOf(components[id] as JsonObject, components, values, name);
  }
  if (Object.hasOwn(values, name)) return values[name];
  if (Object.hasOwn(BY_NAME, name)) return lookUp(BY_NAME, name);
  if (Array.isArray(schema.enum)) return schema.enum[0];
  if ('const' in schema) return schema.const;
  const [choice] = ((schema.anyOf ?? schema.oneOf ?? []) as readonly JsonObject[]).slice(0, 1);
  if (choice !== undefined && schema.properties === undefined)
    return exampleOf(choice, components, values, name);
  switch (Array.isArray(schema.type) ? schema.type[0] : schema.type) {
    case 'object': {
      const properties = (schema.properties ?? {}) as Record<string, JsonObject>;
      const required = (schema.required ?? []) as readonly string[];
      return Object.fromEntries(
        required.map((key) => [key, exampleOf(properties[key] ?? {}, components, values, key)]),
      );
    }
    case 'array':
      return [exampleOf((schema.items ?? {}) as JsonObject, components, values)];
    case 'integer':
    case 'number':
      return schema.minimum ?? 1;
    case 'boolean':
      return true;
    default:
      return `<${name || 'text'}>`;
  }
}
