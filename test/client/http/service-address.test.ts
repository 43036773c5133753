import { expect, test } from 'vitest';
import { authorizationUrl } from '../../../src/client/http/oauth.ts';
import { ServiceClient } from '../../../src/client/http/service-client.ts';
import { serviceAddress } from '../../../src/client/http/transport.ts';

test('trailing slashes are removed from an address, a path before them stays', () => {
  expect(serviceAddress('https://service.example//')).toBe('https://service.example');
  expect(serviceAddress('http://127.0.0.1:8970/behind/')).toBe('http://127.0.0.1:8970/behind');
});

test.each([
  ['', 'must begin with http:// or https://: ""'],
  ['localhost:8970', 'must begin with http:// or https://: "localhost:8970"'],
  ['127.0.0.1:8970', 'must begin with http:// or https://: "127.0.0.1:8970"'],
  ['https://service.example/api/v2/', 'comes without /api/v2: "https://service.example/api/v2/"'],
  ['https://service.example?a=1', 'has no query and no fragment: "https://service.example?a=1"'],
])('%j is refused before any request, with the expected form', (baseUrl, what) => {
  const refusal = { code: 'bad_settings', message: `the address of the service ${what}` };
  const asked = { redirectUri: 'http://a.example/', scopes: [], state: 's' };
  expect(() => new ServiceClient({ baseUrl, accessToken: 't' })).toThrow(expect.objectContaining(refusal));
  expect(() => authorizationUrl({ baseUrl, clientId: 'c' }, asked)).toThrow(expect.objectContaining(refusal));
});

test.each(['', 'Bearer x', 'x\n', 'schlüssel'])('the token %j is refused, and not printed', (accessToken) => {
  const make = () => new ServiceClient({ baseUrl: 'https://service.example', accessToken });
  expect(make).toThrow(
    expect.objectContaining({
      code: 'bad_settings',
      message: 'the access token is empty, or contains a space or a character beyond ASCII',
    }),
  );
});
