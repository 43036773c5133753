import { expect, test } from 'vitest';
import { optional, optionalPart } from '../../../src/core/errors/optional-part.ts';

test('a missing part is reported by its name, and any other failure unchanged', async () => {
  expect(await optionalPart('the part', Promise.resolve('its module'))).toBe('its module');
  await expect(optionalPart('the part', import(optional('./no-such-part.ts')))).rejects.toMatchObject({
    code: 'bad_settings',
    message: 'this installation lacks the part',
  });
  await expect(optionalPart('the part', Promise.reject(new Error('a bug')))).rejects.toThrow('a bug');
});
