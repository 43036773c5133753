import { COMMON_ERRORS, type Endpoint } from '../endpoint.ts';
import { ENDPOINTS, type OperationId } from '../endpoints.ts';
import { SERVICE_ERROR_STATUS, type ServiceErrorType } from '../http/service-error.ts';
import type { JsonObject, OpenApiSchemas } from './openapi-schemas.ts';

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required: boolean;
  readonly description?: string;
  readonly schema: JsonObject;
}

export interface Operation {
  readonly operationId: OperationId;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: JsonObject };
  readonly responses: JsonObject;
  readonly security: readonly JsonObject[];
  /** All operations with this path and method; the first determines the `operationId`. */
  readonly 'x-operations': readonly OperationId[];
  readonly 'x-source': string;
}

type Ids = readonly [OperationId, ...OperationId[]];

/** Describes one operation of the document: that of an endpoint, or of a search together with its export. */
export function describeOperation(
  ids: Ids,
  tag: string,
  schemas: OpenApiSchemas,
  responses: Record<string, JsonObject>,
): Operation {
  const endpoints: readonly Endpoint[] = ids.map((id): Endpoint => ENDPOINTS[id]);
  const [first] = endpoints as [Endpoint, ...Endpoint[]];
  const summary = endpoints.map((endpoint) => endpoint.summary).join(' · ');
  const isShared = endpoints.length > 1;
  const body = requestBody(endpoints, schemas);
  return {
    operationId: ids[0],
    summary,
    ...(isShared ? { description: 'With `export=true` in the query, the response is a streamed file.' } : {}),
    tags: [tag],
    parameters: [...pathParameters(first), ...queryParameters(endpoints, schemas)],
    ...(body === undefined ? {} : { requestBody: body }),
    responses: { ...successes(endpoints, schemas), ...failures(endpoints, responses) },
    security: [{ bearerAuth: [first.scope] }, { oauth2: [first.scope.replace(/^projects:/, 'project:')] }],
    'x-operations': ids,
    'x-source': first.source,
  };
}

function pathParameters({ path, values = {} }: Endpoint): Parameter[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => {
    const known = values[name];
    const schema = { type: 'string', ...(known === undefined ? {} : { enum: known }) };
    return { name, in: 'path', required: true, schema };
  });
}

/**
 * Merges the parameters of all endpoints. If two endpoints allow different values of a parameter, the result allows the
 * values of both.
 */
function queryParameters(endpoints: readonly Endpoint[], schemas: OpenApiSchemas): Parameter[] {
  const found = new Map<string, Parameter>();
  for (const { query } of endpoints) {
    if (query === undefined) continue;
    const { properties = {}, required = [] } = schemas.of(query, 'input') as ObjectSchema;
    for (const [name, { description, ...schema }] of Object.entries(properties)) {
      const former = found.get(name);
      const isRequired = required.includes(name) && endpoints.length === 1;
      found.set(name, {
        name,
        in: 'query',
        required: isRequired,
        ...(typeof description === 'string' ? { description } : {}),
        schema:
          former === undefined
            ? schema
            : { type: 'string', enum: [...valuesOf(former.schema), ...valuesOf(schema)] },
      });
    }
  }
  return [...found.values()];
}

interface ObjectSchema {
  readonly properties?: Readonly<Record<string, JsonObject>>;
  readonly required?: readonly string[];
}

function valuesOf(schema: JsonObject): readonly unknown[] {
  return Array.isArray(schema.enum) ? schema.enum : [schema.const];
}

function requestBody(endpoints: readonly Endpoint[], schemas: OpenApiSchemas): Operation['requestBody'] {
  const bodies = endpoints.flatMap(({ body }) => (body === undefined ? [] : [body]));
  const [first] = endpoints;
  if (first === undefined || bodies.length === 0) return undefined;
  const [one, ...others] = bodies.map((body) => schemas.of(body, 'input'));
  const schema = others.length === 0 ? one : { anyOf: [one, ...others] };
  const type = first.sends === 'multipart' ? 'multipart/form-data' : 'application/json';
  // If every part of a body is optional, the body is optional, too.
  return { required: !bodies.every((body) => body.safeParse({}).success), content: { [type]: { schema } } };
}

function successes(endpoints: readonly Endpoint[], schemas: OpenApiSchemas): JsonObject {
  const content: Record<string, unknown> = {};
  for (const { answers, response } of endpoints) {
    if (answers === 'file') {
      const file = { schema: { type: 'string' } };
      Object.assign(content, { 'text/csv': file, 'application/x-ndjson': file });
    } else if (response !== undefined)
      content['application/json'] = { schema: schemas.of(response, 'output') };
  }
  if (Object.keys(content).length === 0) return { 204: { description: 'Done; no body' } };
  return { 200: { description: 'Success', content } };
}

/** Returns errors by status; equal sets of errors share one component. */
function failures(endpoints: readonly Endpoint[], responses: Record<string, JsonObject>): JsonObject {
  const types = new Set([...COMMON_ERRORS, ...endpoints.flatMap(({ errors }) => errors)]);
  const byStatus = Object.groupBy(
    Object.keys(SERVICE_ERROR_STATUS).filter((type): type is ServiceErrorType =>
      types.has(type as ServiceErrorType),
    ),
    (type) => SERVICE_ERROR_STATUS[type],
  );
  const found = Object.entries(byStatus).map(([status, group = []]) => {
    const name = group
      .map((type) => type.replace(/(^|_)(\w)/g, (_, _line, letter: string) => letter.toUpperCase()))
      .join('Or');
    responses[name] ??= failure(group);
    return [status, { $ref: `#/components/responses/${name}` }];
  });
  return Object.fromEntries(found);
}

function failure(types: readonly ServiceErrorType[]): JsonObject {
  const schema = {
    allOf: [
      { $ref: '#/components/schemas/Error' },
      { type: 'object', properties: { type: { enum: types } } },
    ],
  };
  const description = types.map((type) => `\`${type}\``).join(' or ');
  return { description, content: { 'application/json': { schema } } };
}
