import { expect, test } from 'vitest';
import { parseMetadata } from '../../../../../src/service/sandbox/stores/gcs/upload-requests.ts';

test('metadata are a JSON object, or nothing', () => {
  expect(parseMetadata(' ')).toEqual({});
  expect(parseMetadata('{"name":"a"}')).toEqual({ name: 'a' });
});

test.each(['null', '[]', '7', '"a"', 'true', '{'])('metadata that are %s are refused', (sent) => {
  expect(() => parseMetadata(sent)).toThrow('the metadata are not a JSON object');
});
