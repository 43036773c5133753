import { expect, test } from 'vitest';
import { fillPath } from '../../src/client/endpoint.ts';

test('the parameters of a path are encoded, and none of them leads to another path', () => {
  const fill = (id?: string) => fillPath('/projects/{id}/crawls', { id });
  expect(['a', 'a/b', '...', 'é?'].map(fill)).toEqual([
    '/projects/a/crawls',
    '/projects/a%2Fb/crawls',
    '/projects/.../crawls',
    '/projects/%C3%A9%3F/crawls',
  ]);
  for (const [id, problem] of [
    [undefined, 'is missing'],
    ['', 'is missing'],
    ['.', 'is "."'],
    ['..', 'is ".."'],
  ] as const)
    expect(() => fill(id)).toThrow(`id of /projects/{id}/crawls ${problem}`);
});
