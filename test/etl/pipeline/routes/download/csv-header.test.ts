import { expect, test } from 'vitest';
import {
  parseHeader,
  STREAM_DELIMITER,
} from '../../../../../src/etl/pipeline/routes/download/write-parts.ts';

const header = (line: string, delimiter = STREAM_DELIMITER): string[] =>
  parseHeader(line, 'pages.csv', delimiter);

test('header names are delimited, and quoted if they contain a delimiter', () => {
  expect(header('url;"a;b";"say ""x"""\n')).toEqual(['url', 'a;b', 'say "x"']);
  expect(header('url,a;b\n', ',')).toEqual(['url', 'a;b']);
});

test.for([
  ['url;;depth\n', 'pages.csv:1: the header has an empty name'],
  ['url;depth;url\n', 'pages.csv:1: the header has the name "url" twice'],
  ['url;"depth\n', 'pages.csv:1: the header is not CSV with the delimiter ";": '],
] as const)('the header %j is refused', ([line, message]) => {
  expect(() => header(line)).toThrow(
    expect.objectContaining({ code: 'contract_broken', message: expect.stringContaining(message) }),
  );
});
