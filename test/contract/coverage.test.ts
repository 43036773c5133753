import { expect, test } from 'vitest';
import { textTable } from '../../src/app/answers/presentation/text-table.ts';
import type { Endpoint } from '../../src/client/endpoint.ts';
import { ENDPOINTS } from '../../src/client/endpoints.ts';
import { openApiDocument } from '../../src/client/openapi/openapi.ts';
import { sharedService } from '../service/support.ts';
import { gaps } from '../support/gaps.ts';
import { CALLS } from './calls.ts';
import { SPECIFICATION, type SpecifiedOperation } from './specification.ts';

const it = await sharedService({});
const document = openApiDocument();
const endpoints: Readonly<Record<string, Endpoint>> = ENDPOINTS;

/** The path without its query, its parameters as src/client writes them. */
function templateOf({ path }: SpecifiedOperation): string {
  return (path.split('?')[0] ?? '').replace(/<(\w+)>/g, '{$1}');
}

const requestOf = ({ sends, query, body }: Endpoint): string => {
  const names = Object.keys((query as { shape?: object } | undefined)?.shape ?? {});
  if (sends === 'multipart') return 'a form';
  if (names.includes('filters')) return 'page query';
  if (names.includes('offset')) return 'offset and limit';
  // `export=false` says what is so without it.
  const asks = names.some((name) => name !== 'export') || body === undefined;
  const parts = [...(names.length > 0 && asks ? ['query'] : []), ...(body ? ['JSON'] : [])];
  return parts.join(' and ') || 'nothing';
};

/** Whether the sandbox has a route for it, and asks for its scope: one without any is told which it lacks. */
async function isServed({ method, path, scope }: SpecifiedOperation): Promise<boolean> {
  const answer = await it.api(
    path.replace('<data_type>', 'pages').replace('<granularity>', 'days').replace(/<\w+>/g, 'any'),
    { method, token: 'no-scope' },
  );
  return answer.status === 403 && String(answer.json.message).endsWith(` ${scope}`);
}

test('the specification has 52 operations, and src/client has the same', () => {
  const specified = SPECIFICATION.map(({ name }) => name);
  const found = gaps(specified, Object.keys(ENDPOINTS), {
    adds: 'an endpoint',
    missing: (name) => `test/contract/specification.ts has ${name}, and src/client/endpoints.ts has not`,
    extra: (name) => `src/client/endpoints.ts has ${name}, and test/contract/specification.ts has not`,
  });
  expect(found).toEqual([]);
  expect(Object.keys(ENDPOINTS), 'both are in one order').toEqual(specified);
  expect(SPECIFICATION).toHaveLength(52);
});

test.each(SPECIFICATION)('$name matches the specification', (specified) => {
  const endpoint = endpoints[specified.name];
  if (endpoint === undefined) throw new Error('it has no line in src/client/endpoints.ts');
  expect({
    method: endpoint.method,
    path: endpoint.path,
    scope: endpoint.scope,
    request: requestOf(endpoint),
    answers: endpoint.answers,
    errors: [...endpoint.errors].sort(),
  }).toEqual({
    method: specified.method,
    path: templateOf(specified),
    scope: specified.scope,
    request: specified.request,
    answers: specified.response === 'file' ? 'file' : specified.status === 204 ? 'none' : 'json',
    errors: [...specified.errors].sort(),
  });
});

test('sandbox, document and contract suite cover all operations', async () => {
  await it.ask('/_sandbox/tokens/no-scope', { method: 'PATCH', body: { scopes: [] } });
  const inDocument = new Set(
    Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, operation]) =>
        operation['x-operations'].map((id) => `${id} ${method.toUpperCase()} ${path}`),
      ),
    ),
  );
  const rows = await Promise.all(
    SPECIFICATION.map(async (specified) => {
      const { name, method, path, scope } = specified;
      const covered = [
        await isServed(specified),
        inDocument.has(`${name} ${method} ${templateOf(specified)}`),
        name in CALLS,
      ];
      return [method, path, scope, ...covered.map((is) => (is ? 'yes' : 'NO'))];
    }),
  );
  const lacking = rows.filter((row) => row.includes('NO'));
  const head = ['method', 'path', 'scope', 'sandbox', 'document', 'contract'];
  console.log(`${textTable(head, rows)}${rows.length} operations, ${lacking.length} lack something`);
  expect(lacking).toEqual([]);
});
