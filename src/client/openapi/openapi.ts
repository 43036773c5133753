import { lookUp } from '../../core/text/look-up.ts';
import { ENDPOINTS, type OperationId } from '../endpoints.ts';
import { ServiceErrorBody } from '../http/service-error.ts';
import { Oql } from '../oql/oql.ts';
import { SCOPES, type TokenScope } from '../scopes.ts';
import { WEBHOOK_SIGNATURE_HEADER } from '../webhook-signature.ts';
import { describeOperation, type Operation } from './openapi-operation.ts';
import { type JsonObject, OpenApiSchemas } from './openapi-schemas.ts';

export interface OpenApiDocument {
  readonly openapi: '3.1.0';
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  /** By path, then by method in lowercase. */
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly webhooks: JsonObject;
  readonly components: {
    readonly schemas: JsonObject;
    readonly responses: JsonObject;
    readonly securitySchemes: JsonObject;
  };
}

/** The sections of api-spec.md §4 as tags. */
const SECTIONS: Readonly<Record<string, readonly [name: string, description: string]>> = {
  '§4.1': ['Data', 'Search, aggregates and streamed exports of crawls, crawl over crawls, log monitoring'],
  '§4.2': ['Ranking performance', 'Aggregates and asynchronous exports of search performance'],
  '§4.3': ['Projects', 'Projects of a workspace'],
  '§4.4': ['Scheduled crawls', 'Future crawls, once or recurring'],
  '§4.5': ['Crawls', 'Launching, watching and steering crawls'],
  '§4.6': ['Crawl over crawls', 'Two crawls of one project, compared'],
  '§4.7': ['Crawl configurations', 'How a project is crawled, and who is notified when a crawl ends'],
  '§4.8': ['Ingest files', 'Files with your own URLs and columns'],
  '§4.9': ['Account', 'Workspaces, secrets, data exports to object stores'],
};

/** The rights of each scope (api-spec.md §5). */
const GRANTS: Readonly<Record<TokenScope, string>> = {
  'account:read': 'read access to account data',
  'account:write': 'write access to account data',
  'projects:read': 'read access to project and crawl data',
  'projects:write': 'write access to project and crawl data',
};

/**
 * Builds the OpenAPI 3.1 document of the service from the endpoints that the client calls and the sandbox serves.
 * `baseUrl` is the service's address without `/api/v2`; without it, addresses are relative.
 */
export function openApiDocument(baseUrl = ''): OpenApiDocument {
  const schemas = new OpenApiSchemas();
  const responses: Record<string, JsonObject> = {};
  schemas.of(Oql, 'input');
  schemas.of(ServiceErrorBody, 'output');
  const paths: Record<string, Record<string, Operation>> = {};
  for (const ids of operationsByAddress()) {
    const [first] = ids;
    const { method, path, source } = ENDPOINTS[first];
    const tag = lookUp(SECTIONS, source)?.[0] ?? source;
    const operation = describeOperation(ids, tag, schemas, responses);
    paths[path] = { ...lookUp(paths, path), [method.toLowerCase()]: operation };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Crawl analysis service',
      version: 'v2',
      description:
        'The HTTP interface of a service that crawls and analyzes websites. `x-source` names the section of the specification that describes an operation. `x-operations` lists the operations that share a path and a method.',
    },
    servers: [{ url: `${baseUrl}/api/v2` }],
    tags: Object.values(SECTIONS).map(([name, description]) => ({ name, description })),
    paths,
    webhooks: { crawlNotification: { post: crawlNotification() } },
    components: { schemas: schemas.components(), responses, securitySchemes: securitySchemes(baseUrl) },
  };
}

/** Operations by path and method: a search and its export share both (api-spec.md §4.1), the search first. */
function operationsByAddress(): [OperationId, ...OperationId[]][] {
  const groups = new Map<string, [OperationId, ...OperationId[]]>();
  for (const id of Object.keys(ENDPOINTS) as OperationId[]) {
    const { method, path } = ENDPOINTS[id];
    const group = groups.get(`${method} ${path}`);
    if (group) group.push(id);
    else groups.set(`${method} ${path}`, [id]);
  }
  return [...groups.values()];
}

function securitySchemes(baseUrl: string): JsonObject {
  // OAuth2 names the project scopes `project:*` (api-spec.md §5).
  const scopes = SCOPES.map((scope) => [scope.replace(/^projects:/, 'project:'), GRANTS[scope]]);
  return {
    bearerAuth: {
      type: 'http',
      scheme: 'bearer',
      description: `An access token; its scopes are ${SCOPES.map((scope) => `\`${scope}\``).join(', ')}.`,
    },
    oauth2: {
      type: 'oauth2',
      flows: {
        authorizationCode: {
          authorizationUrl: `${baseUrl}/oauth/authorize`,
          tokenUrl: `${baseUrl}/oauth/token`,
          refreshUrl: `${baseUrl}/oauth/token`,
          scopes: Object.fromEntries(scopes),
        },
      },
    },
  };
}

/** Returns the webhooks of the service (api-spec.md §6). */
function crawlNotification(): JsonObject {
  return {
    operationId: 'crawlNotification',
    summary: 'A crawl ended, or failed to start',
    description:
      'Sent to the custom webhooks of a crawl configuration. The body is not specified: use the call only as a signal to look for new crawls.',
    parameters: [
      {
        name: WEBHOOK_SIGNATURE_HEADER,
        in: 'header',
        description:
          'With a secret: lowercase hexadecimal HMAC-SHA256 of the raw body, keyed with the secret.',
        schema: { type: 'string', pattern: '^[0-9a-f]{64}$' },
      },
    ],
    requestBody: { content: { 'application/json': { schema: { type: 'object' } } } },
    responses: { '2XX': { description: 'Received' } },
  };
}
