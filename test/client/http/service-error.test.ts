import { expect, test } from 'vitest';
import { z } from 'zod';
import {
  SERVICE_ERROR_STATUS,
  ServiceErrorBody,
  serviceError,
} from '../../../src/client/http/service-error.ts';
import type { CrawlhouseError } from '../../../src/core/errors/errors.ts';
import { keepSecret } from '../../../src/core/secrets/redact.ts';
import { sendJson, TOKEN, testService, testTransport } from '../test-service.ts';

const PATH = '/projects/p1/crawl_configs?x=1';

/** What becomes of one answer of the service. */
async function errorFor(
  status: number,
  body: unknown,
): Promise<{ error: CrawlhouseError; requests: number }> {
  const service = await testService((_seen, response) => sendJson(response, status, body));
  const transport = testTransport(service);
  const request = { method: 'GET', path: PATH, repeatable: true } as const;
  const error = await transport.json(request, z.unknown()).then(
    () => expect.unreachable('the request succeeded'),
    (thrown: CrawlhouseError) => thrown,
  );
  return { error, requests: service.seen.length };
}

test.for([
  ['unauthorized', 401, 'unauthorized', 5, 1],
  ['forbidden', 403, 'forbidden', 3, 1],
  ['quota_error', 403, 'quota', 3, 1],
  ['invalid_request', 400, 'invalid_request', 4, 1],
  ['invalid_request_parameters', 400, 'invalid_request', 4, 1],
  ['resource_not_found', 404, 'not_found', 4, 1],
  ['duplicate_entry', 400, 'invalid_request', 4, 1],
  ['invalid_state_for_request', 409, 'wrong_state', 0, 1],
  ['internal_error', 500, 'service_unavailable', 3, 3],
] as const)('%s (%i) becomes %s', async ([type, status, code, exitCode, tries]) => {
  const { error, requests } = await errorFor(status, { type, message: 'what the service says' });
  expect([error.code, error.exitCode, requests]).toEqual([code, exitCode, tries]);
  expect(error.message).toContain(`GET ${PATH} answered ${status}`);
  expect(error.message).toContain('what the service says');
  expect(`${error.message}${error.hint}${error.stack}`).not.toContain(TOKEN);
});

test('the error names type, code, message and the offending fields', async () => {
  const { error } = await errorFor(400, {
    type: 'invalid_request_parameters',
    code: 'bad_config',
    message: 'check it',
    fields: [
      { name: 'start_url', type: 'required', message: 'is required' },
      { name: 'max_speed', type: 'range' },
      { name: 'dns' },
    ],
  });
  expect(error.message).toBe(
    `GET ${PATH} answered 400 invalid_request_parameters (bad_config): check it; ` +
      'fields: start_url (is required), max_speed (range), dns (invalid)',
  );
});

test('the message of the service about a field is not repeated', async () => {
  const fields = [
    { name: 'start_url', type: 'required', message: 'is required' },
    { name: 'name', type: 'duplicate', message: 'is taken' },
  ];
  const body = { type: 'invalid_request_parameters', message: 'start_url: is required', fields };
  const { error } = await errorFor(400, body);
  expect(error.message).toBe(
    `GET ${PATH} answered 400 invalid_request_parameters: start_url: is required; fields: name (is taken)`,
  );
  expect(error.cause).toEqual(body);
});

test('a secret that the service echoes is masked in the cause too', async () => {
  keepSecret('a secret of this test');
  const { error } = await errorFor(400, { type: 'invalid_request', message: 'not a secret of this test' });
  expect(error.cause).toEqual({ type: 'invalid_request', message: 'not [redacted]' });
});

test('a forbidden response about a feature skips the unit, one about the subscription does not', async () => {
  const missing = await errorFor(403, { type: 'forbidden', code: 'feature_not_available' });
  expect([missing.error.code, missing.error.exitCode]).toEqual(['missing_feature', 0]);
  const inactive = await errorFor(403, { type: 'forbidden', code: 'no_active_subscription' });
  expect([inactive.error.code, inactive.error.exitCode]).toEqual(['forbidden', 3]);
  expect(inactive.error.hint).toContain('subscription');
});

test.for([
  [401, 'unauthorized'],
  [403, 'forbidden'],
  [404, 'not_found'],
  [409, 'wrong_state'],
  [410, 'not_found'],
  [418, 'invalid_request'],
  [451, 'forbidden'],
  [429, 'service_unavailable'],
  [502, 'service_unavailable'],
  [301, 'contract_broken'],
] as const)('a %i without an error object becomes %s', async ([status, code]) => {
  const { error } = await errorFor(status, '<html>from a proxy</html>');
  expect(error.code).toBe(code);
  expect(error.message).toContain(`GET ${PATH} answered ${status}`);
});

test('an unknown error type is mapped by its status', async () => {
  expect((await errorFor(400, { type: 'brand_new' })).error.code).toBe('invalid_request');
  expect((await errorFor(404, { type: 'brand_new' })).error.code).toBe('not_found');
});

/** What an answer of each status may be: the class that its status decides. */
const CLASSES: readonly (readonly [readonly number[], readonly string[]])[] = [
  [[401], ['unauthorized']],
  [[402, 451], ['forbidden']],
  [[403], ['forbidden', 'quota', 'missing_feature']],
  [[404, 410], ['not_found']],
  [[409], ['wrong_state']],
  [
    [400, 405, 406, 411, 412, 413, 414, 415, 416, 417, 418, 421, 422, 423, 424, 426, 428, 431],
    ['invalid_request'],
  ],
  [[408, 425, 429, 500, 501, 502, 503, 504, 507, 511, 520, 599], ['service_unavailable']],
  [[300, 301, 302, 304, 305, 307, 308], ['contract_broken']],
];

test('the status decides the class of an error, whatever the body', () => {
  const texts = [
    '',
    'feature_missing',
    'no_active_subscription',
    'about:blank',
    'https://example.com/problems/denied',
  ];
  const types = [...Object.keys(SERVICE_ERROR_STATUS), 'constructor', '__proto__', ...texts];
  for (const [statuses, codes] of CLASSES)
    for (const status of statuses) {
      expect(codes).toContain(serviceError({ method: 'GET', path: PATH }, status, undefined, undefined).code);
      for (const type of types)
        for (const code of [undefined, null, ...texts]) {
          const problem = {
            type,
            code,
            title: 'Forbidden',
            detail: 'No access to this project.',
            status: 400,
          };
          const body = ServiceErrorBody.parse(problem);
          const error = serviceError({ method: 'GET', path: PATH }, status, body, undefined);
          expect(codes, `${status} ${type} ${code}`).toContain(error.code);
          expect(error.message).toContain(`answered ${status}`);
          expect(error.message).toContain('No access to this project.');
        }
    }
});

test('a 401 or 403 with an RFC 9457 problem document is not a filter error', async () => {
  const problem = (status: number) => ({
    type: 'about:blank',
    title: 'Denied',
    status,
    detail: 'ask an admin',
  });
  expect((await errorFor(401, problem(401))).error.code).toBe('unauthorized');
  const { error } = await errorFor(403, problem(403));
  expect([error.code, error.exitCode]).toEqual(['forbidden', 3]);
  expect(error.message).toContain('ask an admin');
  expect((await errorFor(403, { type: 'https://x/quota', code: 'feature_off' })).error.code).toBe(
    'missing_feature',
  );
  expect((await errorFor(403, { type: 'quota_error', code: 'feature_quota' })).error.code).toBe('quota');
  expect((await errorFor(400, { type: 'forbidden', code: 'x' })).error.code).toBe('invalid_request');
});
